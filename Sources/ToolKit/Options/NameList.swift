/// Lists of names and key paths in the arguments of options.
package enum NameList {
    /// The parts of a list separated by commas; a comma behind a backslash belongs to a name.
    package static func parts(_ list: String) -> [String] {
        var parts: [[UInt8]] = [[]]
        for byte in list.utf8 {
            let isComma = byte == UInt8(ascii: ",")
            if isComma, parts[parts.count - 1].last == UInt8(ascii: "\\") {
                parts[parts.count - 1].removeLast()
            } else if isComma {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
