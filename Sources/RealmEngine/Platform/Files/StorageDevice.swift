/// The file to which a writer writes, or a test double that records calls, makes them fail, or
/// writes only a part of the bytes.
///
/// Confined to the writer. Writes are durable only after `sync`; the caller determines their order
/// by calling `sync` between them.
protocol StorageDevice: AnyObject {
    /// Size of the device in bytes.
    var size: Int { get }
    /// Extends the device to at least `size` bytes and allocates their space.
    func grow(to size: Int) throws(RealmError)
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError)
    /// Returns when all earlier writes are durable.
    func sync() throws(RealmError)
    /// Returns when readers that have the device open can read all earlier writes.
    func flush() throws(RealmError)
    /// Discards writes that were not flushed, at the end of a transaction.
    func abandon()
}

extension StorageDevice {
    func flush() throws(RealmError) {}
    func abandon() {}
}

/// A device that refuses all writes. For sessions that run a transaction only to see whether it
/// would succeed.
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
