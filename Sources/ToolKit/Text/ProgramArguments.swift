/// The words of the command line, beginning with the name of the program.
package enum ProgramArguments {
    /// Reads the words from the process's entry in `/proc`, as `CommandLine.arguments` does, but
    /// without a stream. Returns `CommandLine.arguments` if the entry cannot be read completely.
    package static func all() -> [String] {
        guard let bytes = SystemText.bytes("/proc/self/cmdline"), bytes.last == 0,
            bytes.count < SystemText.maximumSize
        else { return CommandLine.arguments }
        return words(bytes)
    }

    /// Splits `bytes` into words. Each word ends with a NUL byte.
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
