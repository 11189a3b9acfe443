import Dispatch
import Foundation
import RealmEngine

/// Names an asynchronous write.
public typealias AsyncTransactionId = UInt32

/// Asynchronous writes (API specification 2.1): the writer's turn is waited for, and the data made
/// durable, by other threads.
extension Realm {
    /// Runs `block` in a write transaction later, where the realm belongs, and commits it unless the
    /// block ended it. `onComplete` is called there when the data is durable.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        attempt { () throws(RealmError) in
            try engine.writeAsync(
                { _ in block() }, onComplete: { error in onComplete?(error.map { Error($0) }) })
        }
    }

    /// Runs the block in a write transaction later; it must commit, or everything is taken back.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        attempt { () throws(RealmError) in try engine.beginAsyncWrite(asyncWriteBlock) }
    }

    /// Publishes the changes at once for this realm, durably later. With grouping, transactions that
    /// follow may be made durable together.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        defer { instance.letGo() }
        return attempt { () throws(RealmError) in
            try engine.commitAsyncWrite(
                allowGrouping: allowGrouping, { error in onComplete?(error.map { Error($0) }) })
        }
    }

    /// Takes back a write that has not begun, or drops the completion of a commit.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        engine.cancelAsyncWrite(asyncTransactionId)
    }

    public var isPerformingAsynchronousWriteOperations: Bool {
        engine.isPerformingAsynchronousWriteOperations
    }

    /// Waits until every asynchronous write of this process is done: before exiting, and not where
    /// realms with pending writes belong.
    public static func waitForPendingWrites() { Instance.waitForPendingWrites() }
}
