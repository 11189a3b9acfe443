import RealmEngine
import Synchronization

/// An encryption key and the notation of its key file.
struct FileKey: Sendable {
    /// Notation of the key in its file; the text is used in hints.
    enum Form: String, Sendable {
        case raw = "64 raw bytes"
        case hexadecimal = "128 hex digits"
        case base64 = "88 base64 characters"
    }

    let form: Form
    let key: EncryptionKey

    /// Copies the first 64 bytes; the caller wipes `bytes`.
    init(_ bytes: UnsafeRawBufferPointer, form: Form) throws(RealmError) {
        self.form = form
        key = try EncryptionKey(bytes)
    }
}

/// The key of a command, read at most once, because a pipe can be read only once.
final class KeyOnce: Sendable {
    private let cachedKey = Mutex<FileKey?>(nil)

    /// Returns the key; calls `read` if no earlier call has succeeded.
    func get(_ read: () throws(RealmError) -> FileKey) throws(RealmError) -> FileKey {
        if let key = cachedKey.withLock({ $0 }) { return key }
        let key = try read()
        cachedKey.withLock { $0 = key }
        return key
    }
}
