import Glibc
import RealmEngine
import RealmRecords
import ToolKit

/// The file of `--rejects`, with a line for each rejected record. Lines are written only when the
/// batch of the record is committed. A resumed load may read the record again, and it must not
/// appear twice.
final class RejectFile {
    let path: String
    private let descriptor: Int32
    private var waiting = ByteBuffer(capacity: 4096)

    /// Opens the file for appending. Throws `output` if that fails.
    init(_ path: String) throws(RealmError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw systemFailure(.output, "cannot open", errno: errno, file: path)
        }
    }

    deinit { close(descriptor) }

    /// Adds a line of JSON with the error and the record. Does not write it to the file yet.
    ///
    /// - Parameter record: bytes of the record; nil if they are not available.
    func add(_ error: RecordError, _ record: ByteView?, isJSON: Bool) {
        waiting.append("{\"record\":")
        waiting.append(number: error.record)
        waiting.append(",\"line\":")
        waiting.append(number: error.line)
        waiting.append(",\"code\":")
        waiting.append(json: error.code.rawValue)
        if let property = error.property {
            waiting.append(",\"property\":")
            waiting.append(json: property)
        }
        waiting.append(",\"expected\":")
        waiting.append(json: error.expected)
        waiting.append(",\"got\":")
        waiting.append(json: error.got)
        waiting.append(",\"input\":")
        guard let record else { return waiting.append("null}\n") }
        if isJSON, Self.isOneLine(record), error.isWellFormed {
            waiting.append(record)
        } else {
            waiting.append(json: record)
        }
        waiting.append("}\n")
    }

    private static func isOneLine(_ record: ByteView) -> Bool {
        record.count > 0 && !record.buffer.contains(10)
    }

    /// Returns the lines that `add` has added since the last call.
    func take() -> [UInt8] {
        defer { waiting.removeAll() }
        return Array(waiting.bytes)
    }

    /// Writes lines to the file. Throws `output` if that fails.
    func write(_ lines: [UInt8]) throws(RealmError) {
        var done = 0
        while done < lines.count {
            let count = lines.withUnsafeBytes { lines in
                retryingInterrupts {
                    Glibc.write(descriptor, lines.baseAddress! + done, lines.count - done)
                }
            }
            guard count > 0 else {
                let code = count == 0 ? ENOSPC : errno
                throw systemFailure(.output, "cannot write", errno: code, file: path)
            }
            done += count
        }
    }
}

extension RecordError {
    /// Whether the text of the record is valid in its format. JSON is then copied to the file as it
    /// is; other text becomes a JSON string.
    fileprivate var isWellFormed: Bool {
        switch code {
        case .invalidJSON, .invalidTable, .invalidText, .limitExceeded, .duplicateProperty: false
        default: true
        }
    }
}
