import RealmEngine
import Synchronization

/// An encryption key and the form its file had.
struct FileKey: Sendable {
    /// How the key file held it; for hints.
    enum Form: String, Sendable {
        case raw = "64 raw bytes"
        case hexadecimal = "128 hex digits"
        case base64 = "88 base64 characters"
    }

    let form: Form
    let key: EncryptionKey

    /// Copies the first 64 of `bytes`; the caller wipes its own.
    init(_ bytes: UnsafeRawBufferPointer, form: Form) throws(RealmError) {
        self.form = form
        key = try EncryptionKey(bytes)
    }
}

/// The key of a command, which is read once: a pipe gives it only once.
final class KeyOnce: Sendable {
    private let known = Mutex<FileKey?>(nil)

    /// The key `read` returned the first time.
    func get(_ read: () throws(RealmError) -> FileKey) throws(RealmError) -> FileKey {
        if let key = known.withLock({ $0 }) { return key }
        let key = try read()
        known.withLock { $0 = key }
        return key
    }
}
