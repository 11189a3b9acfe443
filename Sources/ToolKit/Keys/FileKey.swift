import RealmEngine
import Synchronization

/// An encryption key, and the notation of the key file that it was read from.
struct FileKey: Sendable {
    /// Notation of the key in its file; the text is used in hints.
    enum Form: String, Sendable {
        case raw = "64 raw bytes"
        case hexadecimal = "128 hex digits"
        case base64 = "88 base64 characters"
    }

    let form: Form
    let key: EncryptionKey

    /// Copies the key from the first 64 bytes. The caller must wipe `bytes`.
    init(_ bytes: UnsafeRawBufferPointer, form: Form) throws(RealmError) {
        self.form = form
        key = try EncryptionKey(bytes)
    }
}

/// Caches the encryption key of a command. The key is read only once, because a pipe can be read
/// only once.
final class KeyOnce: Sendable {
    private let cachedKey = Mutex<FileKey?>(nil)

    /// Returns the encryption key. Calls `read` unless an earlier call succeeded.
    func get(_ read: () throws(RealmError) -> FileKey) throws(RealmError) -> FileKey {
        if let key = cachedKey.withLock({ $0 }) { return key }
        let key = try read()
        cachedKey.withLock { $0 = key }
        return key
    }
}
