import Dispatch
import Foundation
import RealmEngine
import Synchronization

/// Support for tests in the style of the SDK's own: catching traps, and resetting the state of the
/// process.
@_spi(Testing)
public enum RealmTesting {
    /// A misuse that was reported while a closure ran.
    public struct Misuse: Sendable {
        /// Name of the Objective-C exception that the SDK throws.
        public let name: String
        /// Message of the trap.
        public let reason: String
    }

    /// Runs `body` on a thread that impersonates the calling one, which waits.
    ///
    /// After a misuse that thread sleeps for ever, so the objects that it references are never
    /// released.
    ///
    /// - Returns: the misuse; nil if `body` returned.
    public static func catchMisuse(_ body: () -> Void) -> Misuse? {
        withoutActuallyEscaping(body) { body in
            // References of a sleeping thread are released by hand, or the closure would count as
            // escaping.
            let work = Work(body)
            defer { work.forget() }
            return ImpersonatedThread.run(in: Scheduler.places) { work.run() }
                .map { Misuse(name: name(of: $0), reason: $0) }
        }
    }

    /// Name of the exception that the SDK throws. An unknown key is reported by Foundation there.
    private static func name(of reason: String) -> String {
        reason.contains("not key value coding-compliant")
            ? "NSUnknownKeyException" : "RLMException"
    }

    /// A closure in heap memory, whose captured values can be released.
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

        /// Context object of the closure, with the captured values.
        private static func context(
            _ cell: UnsafeMutablePointer<(() -> Void, Int)>
        ) -> UnsafeRawPointer? {
            UnsafeRawPointer(cell).load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        }
    }

    /// Whether classes that use `@Persisted` also have columns for members that are lists, sets,
    /// maps, linking objects or legacy holders. Set before a class is first used.
    public static var acceptsLegacyHolders: Bool {
        get { ClassModel.acceptsHolders.load(ordering: .relaxed) }
        set { ClassModel.acceptsHolders.store(newValue, ordering: .relaxed) }
    }

    /// Whether the process has a live realm of this file.
    public static func hasCachedRealm(atPath path: String) -> Bool {
        RealmInstance.all.contains { $0.configuration.fileURL?.path == path && !$0.isFrozen }
    }

    /// Closes the realms of the main queue and the calling thread. Realms in memory lose their
    /// data.
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
