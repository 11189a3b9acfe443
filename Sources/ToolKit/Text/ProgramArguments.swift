import Glibc

/// The words of the command line, beginning with the name of the program.
package enum ProgramArguments {
    /// Bytes read at a time. Most command lines have fewer.
    private static let chunkSize = 1 << 12

    /// Reads the words from the process's entry in `/proc`, as `CommandLine.arguments` does, but
    /// without a stream; without such an entry, returns `CommandLine.arguments`.
    package static func all() -> [String] {
        let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return CommandLine.arguments }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let end = bytes.count
            bytes += [UInt8](repeating: 0, count: chunkSize)
            let count = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress! + end, chunkSize)
            }
            if count < 0 { return CommandLine.arguments }
            bytes.removeLast(chunkSize - count)
            if count == 0 { return words(bytes) }
        }
    }

    /// Returns the texts, each of which ends with a NUL.
    static func words(_ bytes: [UInt8]) -> [String] {
        var words: [String] = []
        var start = 0
        for end in bytes.indices where bytes[end] == 0 {
            words.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        return words
    }
}
