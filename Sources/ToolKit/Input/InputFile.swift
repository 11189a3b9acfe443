import Glibc
import RealmEngine
import RealmRecords

/// An input file, or standard input for `-`. Closes the file on deinit.
package final class InputFile {
    package let descriptor: Int32
    package let path: String

    package init(_ path: String) throws(RealmError) {
        self.path = path
        if path == "-" {
            descriptor = STDIN_FILENO
            return
        }
        descriptor = Int32(retryingInterrupts { Int(open(path, O_RDONLY | O_CLOEXEC)) })
        guard descriptor >= 0 else {
            throw systemFailure(.input, "cannot open", errno: errno, file: path)
        }
    }

    /// Size in bytes; 0 for a pipe or a terminal.
    package var size: Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Reads the whole file. Throws `misuse` if it has more than `limit` bytes.
    package func readAll(limit: Int) throws(RealmError) -> ByteBuffer {
        let source = ByteSource(descriptor: descriptor, path: path)
        var buffer = ByteBuffer(capacity: 1 << 14)
        while true {
            let count = try source.read(into: buffer.reserve(1 << 14), capacity: 1 << 14)
            if count == 0 { return buffer }
            buffer.advance(by: count)
            guard buffer.count <= limit else {
                throw .misuse("\(path) holds more than \(limit) bytes", code: "LimitExceeded")
            }
        }
    }
}
