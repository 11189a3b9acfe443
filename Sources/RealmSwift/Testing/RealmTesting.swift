import Dispatch
import Foundation
import RealmEngine
import Synchronization

/// What tests of programs like the SDK's own need, and nobody else.
@_spi(Testing)
public enum RealmTesting {
    /// What a program was told that did something wrong.
    public struct Misuse: Sendable {
        public let name: String
        public let reason: String
    }

    /// Runs `body` on a thread that passes for the calling one while that waits; nil when it came back.
    /// After a misuse that thread sleeps for good, and with it lasts what it refers to.
    public static func catchMisuse(_ body: () -> Void) -> Misuse? {
        withoutActuallyEscaping(body) { body in
            // References that a sleeping thread has must be given back, or the closure counts as kept.
            let work = Work(body)
            defer { work.forget() }
            return ImpersonatedThread.run(in: Scheduler.places) { work.run() }
                .map { Misuse(name: name(of: $0), reason: $0) }
        }
    }

    /// What the SDK calls it. A key that nobody knows is Foundation's business there.
    private static func name(of reason: String) -> String {
        reason.contains("not key value coding-compliant")
            ? "NSUnknownKeyException" : "RLMException"
    }

    /// A closure in memory of its own.
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

        /// Where the closure has what it captured.
        private static func context(
            _ cell: UnsafeMutablePointer<(() -> Void, Int)>
        ) -> UnsafeRawPointer? {
            UnsafeRawPointer(cell).load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
        }
    }

    /// In classes that use `@Persisted`, members that are lists, sets, maps, linking objects or holders
    /// of values are columns, too. To be set before a class is used first.
    public static var acceptsLegacyHolders: Bool {
        get { ClassModel.acceptsHolders.load(ordering: .relaxed) }
        set { ClassModel.acceptsHolders.store(newValue, ordering: .relaxed) }
    }

    /// Whether a realm of this file is alive in the process.
    public static func hasCachedRealm(atPath path: String) -> Bool {
        RealmInstance.all.contains { $0.configuration.fileURL?.path == path && !$0.isFrozen }
    }

    /// Closes the realms of the calling thread, which is the one the program began with. Those in memory
    /// begin anew.
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
