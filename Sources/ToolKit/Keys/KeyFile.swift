import Glibc
import RealmEngine

/// Reads key files (realm-tools(7), KEY FILES).
enum KeyFile {
    /// Maximum size of a key file in bytes. Any notation needs less, even with white space.
    static let sizeLimit = 4096

    static let hint =
        "a key file holds 64 raw bytes, 128 hex digits or 88 base64 characters, white space aside"

    /// Reads the key in `path`; `-` is standard input.
    ///
    /// - Parameter warn: receives a warning if users other than the owner may read the file.
    /// - Throws: `key`, reason `bad-key-file`; the message contains no byte of the file.
    static func read(
        _ path: String, warn: (String) -> Void
    ) throws(RealmError) -> FileKey {
        Secrecy.begin()
        let descriptor = try open(path)
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        if isReadableByOthers(descriptor) {
            warn("\(path): users other than the owner can read the key file (chmod 600)")
        }
        let content = UnsafeMutableRawBufferPointer.allocate(
            byteCount: sizeLimit + 1, alignment: 16)
        defer {
            explicit_bzero(content.baseAddress!, content.count)
            content.deallocate()
        }
        let count = try fill(content, from: descriptor, path)
        guard count <= sizeLimit else {
            throw malformed("it holds more than \(sizeLimit) bytes", path)
        }
        return try KeyText.decode(UnsafeMutableRawBufferPointer(rebasing: content[..<count]), path)
    }

    static func malformed(_ what: String, _ path: String) -> RealmError {
        RealmError(
            .key, code: "InvalidEncryptionKey", reason: "bad-key-file",
            "not a key file: \(what)", file: path, hint: hint)
    }

    private static func open(_ path: String) throws(RealmError) -> Int32 {
        if path == "-" { return STDIN_FILENO }
        let descriptor = retryingInterrupts { Int(Glibc.open(path, O_RDONLY | O_CLOEXEC)) }
        guard descriptor >= 0 else { throw failure("cannot open the key file", path) }
        return Int32(descriptor)
    }

    /// Whether a regular file is readable by its group or by others; false for pipes.
    private static func isReadableByOthers(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o044 != 0
    }

    /// Reads until the end of the file, or until the buffer is full. Uses no buffered input,
    /// because a library's buffer would keep a copy of the key.
    private static func fill(
        _ content: UnsafeMutableRawBufferPointer, from descriptor: Int32, _ path: String
    ) throws(RealmError) -> Int {
        var count = 0
        while count < content.count {
            let got = retryingInterrupts {
                Glibc.read(descriptor, content.baseAddress! + count, content.count - count)
            }
            guard got >= 0 else { throw failure("cannot read the key file", path) }
            if got == 0 { break }
            count += got
        }
        return count
    }

    private static func failure(_ doing: String, _ path: String) -> RealmError {
        let cause = systemFailure(.key, doing, errno: errno)
        return RealmError(
            .key, code: cause.code, reason: "bad-key-file", cause.message, file: path)
    }
}
