import RealmEngine

/// Parser for lists of names and key paths in the arguments of options.
package enum NameList {
    /// Splits a list at commas. A comma after a backslash belongs to a name. A comma inside the
    /// parentheses of a function does not separate items.
    package static func parts(_ list: String) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isInFunction = false
        for byte in list.utf8 {
            if byte == UInt8(ascii: "("), isFunction(parts[parts.count - 1]) { isInFunction = true }
            if byte == UInt8(ascii: ")") { isInFunction = false }
            let isComma = byte == UInt8(ascii: ",") && !isInFunction
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

    /// Whether `start`, the text of a list item before a parenthesis, is the name of a function.
    /// The name may follow a hyphen, as in `-floor(age)`, or the name of a field, as in
    /// `bin=floor(age)`.
    private static func isFunction(_ start: [UInt8]) -> Bool {
        let isDescending = start.first == UInt8(ascii: "-")
        let name =
            start.lastIndex(of: UInt8(ascii: "=")).map { start[($0 + 1)...] }
            ?? start.dropFirst(isDescending ? 1 : 0)
        return ScalarFunction(rawValue: String(decoding: name, as: UTF8.self)) != nil
    }
}
