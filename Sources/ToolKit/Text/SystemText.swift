import Glibc

/// Reads small text files in which the kernel describes the machine and its processes (`/proc`,
/// `/sys`).
package enum SystemText {
    /// Size in bytes at which reading ends.
    static let maximumSize = 1 << 20

    /// Returns the text of a file below `/proc` or `/sys`, at most 1 MiB; nil if it cannot be read.
    package static func contents(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the bytes of a small system file, at most 1 MiB; nil if it cannot be read.
    static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < maximumSize {
            let count = read(descriptor, &piece, piece.count)
            if count <= 0 { break }
            bytes += piece[..<count]
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the text after `name` and a colon at the beginning of a line, trimmed; nil if there
    /// is no such line.
    package static func field(_ name: String, in text: String) -> String? {
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":"), trimmed(line[..<colon]) == name else {
                continue
            }
            return trimmed(line[line.index(after: colon)...])
        }
        return nil
    }

    package static func trimmed(_ text: some StringProtocol) -> String {
        let isSpace = { (c: Character) in c == " " || c == "\t" || c == "\n" }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
