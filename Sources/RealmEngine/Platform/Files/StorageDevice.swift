/// Where a writer's bytes go. The real one is a file; tests record, fail or tear the calls.
///
/// Confined to the writer. The write order is the caller's: nothing is durable before `sync`.
protocol StorageDevice: AnyObject {
    /// Bytes the device holds.
    var size: Int { get }
    /// Makes the device hold at least `size` bytes, allocated.
    func grow(to size: Int) throws(RealmError)
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(RealmError)
    /// Returns when everything written before is durable.
    func sync() throws(RealmError)
    /// Returns when everything written before can be read by others.
    func flush() throws(RealmError)
    /// The writer's turn ends: what was not flushed is forgotten.
    func abandon()
}

extension StorageDevice {
    func flush() throws(RealmError) {}
    func abandon() {}
}

/// Takes nothing: for sessions that only rehearse.
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
