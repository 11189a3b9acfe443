import Dispatch
import Foundation
import RealmEngine

/// Identifies an asynchronous write or commit of a realm, for `Realm.cancelAsyncWrite(_:)`.
public typealias AsyncTransactionId = UInt32

/// Asynchronous writes (API specification 2.1): other threads wait for the write lock and write to
/// the disk.
extension Realm {
    /// Runs `block` later in a write transaction and commits it. A block that committed or
    /// cancelled the transaction itself leaves nothing to commit.
    ///
    /// Both blocks run in the context of the realm, which must be the main queue, a serial queue or
    /// an actor. Live objects of this realm may be used in them.
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
    /// - Returns: an identifier to cancel the write with, before the block has begun.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: ((Swift.Error?) -> Void)? = nil
    ) -> AsyncTransactionId {
        attempt { () throws(RealmError) in
            try engine.writeAsync(
                { _ in block() }, onComplete: { error in onComplete?(error.map { Error($0) }) })
        }
    }

    /// Runs a block later in a write transaction, in the context of the realm. The block must
    /// commit; returning without a commit undoes its changes.
    ///
    /// Traps on a plain thread, on a frozen or read-only realm, and in the completion block of a
    /// commit.
    ///
    /// - Returns: an identifier to cancel the write with, before the block has begun.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        attempt { () throws(RealmError) in try engine.beginAsyncWrite(asyncWriteBlock) }
    }

    /// Commits the open write transaction. The realm shows the changes at once; they become durable
    /// later.
    ///
    /// A transaction begun with `beginWrite` is durable when this returns.
    ///
    /// Traps without a write transaction.
    ///
    /// - Parameter allowGrouping: whether the transactions that follow may become durable together
    ///   with this one.
    /// - Parameter onComplete: receives nil when the data is durable, or the error that prevented
    ///   it. Called in the context of the realm.
    /// - Returns: an identifier with which `cancelAsyncWrite(_:)` drops `onComplete`.
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

    /// Cancels a write whose block has not begun, or drops the completion block of a commit. Does
    /// nothing if the identifier is unknown or the operation is complete.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        engine.cancelAsyncWrite(asyncTransactionId)
    }

    /// Whether an asynchronous write of this realm is pending: requested, running or not yet
    /// durable.
    public var isPerformingAsynchronousWriteOperations: Bool {
        engine.isPerformingAsynchronousWriteOperations
    }

    /// Waits until every asynchronous write of the process is complete, for example before the
    /// process exits.
    ///
    /// Must not be called in the context of a realm with pending writes: these could not continue.
    public static func waitForPendingWrites() { Instance.waitForPendingWrites() }
}
