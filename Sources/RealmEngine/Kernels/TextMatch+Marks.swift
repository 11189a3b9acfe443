@_spi(_Unicode) import Swift

/// Letters without their marks, such as accents.
extension TextMatch {
    /// Calls `body` with the same value, of a text without marks; lent to it.
    static func withoutMarks(_ value: Value, _ body: (Value) -> Bool) -> Bool {
        guard case .string(let text) = value, !text.buffer.allSatisfy({ $0 < 0x80 }) else {
            return body(value)
        }
        var plain = String.UnicodeScalarView()
        for scalar in text.string._nfd
        where scalar.properties.canonicalCombiningClass == .notReordered {
            plain.append(scalar)
        }
        var stripped = String(plain)
        return stripped.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return body(.string(.empty)) }
            return body(.string(ByteView(base, count: bytes.count)))
        }
    }
}
