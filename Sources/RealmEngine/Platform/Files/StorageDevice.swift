/// The file that a writer writes to, or a test double that records, fails or tears the calls.
///
/// Confined to the writer. Only `sync` makes writes durable; the caller determines their order.
protocol StorageDevice: AnyObject {
    /// Size of the device in bytes.
    var size: Int { get }
    /// Allocates space so that the device has at least `size` bytes.
    func grow(to size: Int) throws(RealmError)
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError)
    /// Returns when all earlier writes are durable.
    func sync() throws(RealmError)
    /// Returns when other readers of the device can read all earlier writes.
    func flush() throws(RealmError)
    /// Ends the writer's turn and discards writes that were not flushed.
    func abandon()
}

extension StorageDevice {
    func flush() throws(RealmError) {}
    func abandon() {}
}

/// A device that refuses all writes, for sessions that only rehearse a transaction.
final class NoDevice: StorageDevice {
    var size: Int { 0 }
    func grow(to size: Int) throws(RealmError) { throw Self.refused }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError) {
        throw Self.refused
    }
    func sync() throws(RealmError) { throw Self.refused }

    private static var refused: RealmError {
        .misuse("a rehearsal writes nothing", code: "WrongTransactionState")
    }
}
