import Dispatch
import Foundation
import RealmEngine
import Synchronization

/// Support for tests in the style of the SDK's own tests: catches traps, and resets the state of
/// the process.
@_spi(Testing)
public enum RealmTesting {
    /// A misuse, an error of the program that otherwise ends the process, reported while a closure
    /// was running.
    public struct Misuse: Sendable {
        /// Name of the Objective-C exception that the SDK throws for this misuse.
        public let name: String
        /// Message of the trap.
        public let reason: String
    }

    /// Runs `body` on another thread and waits for it. Checks of the current thread treat that
    /// thread as the calling thread, so `body` may use the caller's realms.
    ///
    /// A misuse, such as setting a property outside of a write transaction, does not end the
    /// process here. Instead, the other thread sleeps for ever. Objects that it references are
    /// never released.
    ///
    /// - Returns: the misuse; nil if `body` returned.
    public static func catchMisuse(_ body: () -> Void) -> Misuse? {
        withoutActuallyEscaping(body) { body in
            // The sleeping thread's references to the closure are released by hand. Otherwise the
            // runtime would report that the closure escapes.
            let work = Work(body)
            defer { work.forget() }
            return ImpersonatedThread.run(in: Scheduler.places) { work.run() }
                .map { Misuse(name: name(of: $0), reason: $0) }
        }
    }

    /// Returns the name of the exception that the SDK throws. For an unknown key, Foundation throws
    /// its own exception.
    private static func name(of reason: String) -> String {
        reason.contains("not key value coding-compliant")
            ? "NSUnknownKeyException" : "RLMException"
    }

    /// A closure stored in heap memory. If a misuse makes a thread sleep for ever inside the
    /// closure, the values that the closure captures can nevertheless be released.
    private struct Work: @unchecked Sendable {
        private let cell: UnsafeMutablePointer<(() -> Void, Int)>
        private let count: Int

        init(_ body: @escaping () -> Void) {
            cell = .allocate(capacity: 1)
            cell.initialize(to: (body, 0))
            count = Self.context(cell).map(references) ?? 0
        }

        func run() { cell.pointee.0() }

        func forget() {
            if let context = Self.context(cell) {
                while references(context) > count {
                    Unmanaged<AnyObject>.fromOpaque(context).release()
                }
            }
            cell.deinitialize(count: 1)
            cell.deallocate()
        }

        /// Returns the heap object with the captured values of the closure in `cell`; nil if the
        /// closure captures nothing. A closure value consists of a function pointer and this
        /// pointer.
        private static func context(
            _ cell: UnsafeMutablePointer<(() -> Void, Int)>
        ) -> UnsafeRawPointer? {
            UnsafeRawPointer(cell).load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        }
    }

    /// Whether a class that uses `@Persisted` may also have columns without it: properties that are
    /// lists, sets, maps, linking objects, `RealmProperty` or `RealmOptional`. Must be set before a
    /// class is first used.
    public static var acceptsLegacyHolders: Bool {
        get { ClassModel.acceptsHolders.load(ordering: .relaxed) }
        set { ClassModel.acceptsHolders.store(newValue, ordering: .relaxed) }
    }

    /// Whether the process has a live realm of the file at `path`.
    public static func hasCachedRealm(atPath path: String) -> Bool {
        RealmInstance.all.contains { $0.configuration.fileURL?.path == path && !$0.isFrozen }
    }

    /// Closes the realms of the main queue and of the calling thread. The data of realms in memory
    /// is lost.
    public static func reset() {
        for realm in RealmInstance.all
        where realm.engine.isOfThisThread || realm.engine.confinement === Scheduler.main {
            realm.engine.close()
            if let name = realm.configuration.inMemoryIdentifier {
                Database.forget(inMemory: name)
            }
        }
    }
}

@_silgen_name("swift_retainCount") private func references(_ object: UnsafeRawPointer) -> Int
