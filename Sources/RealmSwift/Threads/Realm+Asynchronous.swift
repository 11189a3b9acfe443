import Dispatch
import Foundation
import RealmEngine

/// Identifies an asynchronous write or commit of a realm, for use with
/// `Realm.cancelAsyncWrite(_:)`.
public typealias AsyncTransactionId = UInt32

/// Asynchronous writes (API specification 2.1). Background threads wait for the write lock and
/// write to the disk.
extension Realm {
    /// Runs `block` later in a write transaction and commits the transaction, unless the block has
    /// already committed or cancelled it. Returns at once.
    ///
    /// Both blocks run on the thread, queue or actor of the realm, which must be the main queue, a
    /// serial queue or an actor. Live objects of this realm may be used in them.
    ///
    /// ```swift
    /// realm.writeAsync {
    ///     dog.age += 1
    /// } onComplete: { error in
    ///     if let error { print(error) }
    /// }
    /// ```
    ///
    /// Traps on a plain thread, on a frozen or read-only realm, and in the completion block of a
    /// commit.
    ///
    /// - Parameter onComplete: receives nil when the data is durable, or the error that prevented
    ///   it.
    /// - Returns: an identifier with which `cancelAsyncWrite(_:)` cancels the write, before the
    ///   block has begun.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        attempt { () throws(RealmError) in
            try engine.writeAsync(
                { _ in block() }, onComplete: { error in onComplete?(error.map { Error($0) }) })
        }
    }

    /// Runs a block later in a write transaction, on the thread, queue or actor of the realm. The
    /// block must commit the transaction; if it returns without a commit, its changes are undone.
    /// Returns at once.
    ///
    /// Traps on a plain thread, on a frozen or read-only realm, and in the completion block of a
    /// commit.
    ///
    /// - Returns: an identifier with which `cancelAsyncWrite(_:)` cancels the write, before the
    ///   block has begun.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        attempt { () throws(RealmError) in try engine.beginAsyncWrite(asyncWriteBlock) }
    }

    /// Commits the open write transaction. The realm shows the changes at once; they become durable
    /// later.
    ///
    /// If the transaction was begun with `beginWrite`, it is already durable when this function
    /// returns.
    ///
    /// Traps outside of a write transaction.
    ///
    /// - Parameter allowGrouping: whether this transaction may be written to the disk together with
    ///   the transactions that follow it.
    /// - Parameter onComplete: receives nil when the data is durable, or the error that prevented
    ///   it. Called on the thread, queue or actor of the realm.
    /// - Returns: an identifier with which `cancelAsyncWrite(_:)` prevents the call of
    ///   `onComplete`.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        defer { instance.release() }
        return attempt { () throws(RealmError) in
            try engine.commitAsyncWrite(
                allowGrouping: allowGrouping, { error in onComplete?(error.map { Error($0) }) })
        }
    }

    /// Cancels a write whose block has not yet begun. For a commit, prevents the call of its
    /// completion block. Does nothing if the identifier is unknown or the operation is complete.
    ///
    /// Traps on a frozen or read-only realm, and in the completion block of a commit. Never throws;
    /// declared as throwing because the SDK's method is.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        engine.cancelAsyncWrite(asyncTransactionId)
    }

    /// Whether an asynchronous write of this realm is pending: requested, running, or not yet
    /// durable.
    public var isPerformingAsynchronousWriteOperations: Bool {
        engine.isPerformingAsynchronousWriteOperations
    }

    /// Blocks the thread until all asynchronous writes of the process are complete. To be called
    /// before the process exits, for example.
    ///
    /// Must not be called on the thread, queue or actor of a realm that has pending writes: they
    /// could not continue, and the call would never return.
    public static func waitForPendingWrites() { Instance.waitForPendingWrites() }
}
