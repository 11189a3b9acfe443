/// A rule for comparing texts, for `SORT(name[cd] ASC)` and options such as `--sort 'name[n]'`
/// (query language 22). It applies only to texts, not to values of other types.
public struct TextCollation: Hashable, Sendable {
    let folding: TextFolding
    /// Whether runs of the digits 0 to 9 are compared as numbers, without leading zeros: file2 is
    /// before file10.
    let ordersNumbers: Bool

    /// Compares texts byte by byte, which is the order of Unicode scalars.
    public static let binary = TextCollation(folding: .none, ordersNumbers: false)

    init(folding: TextFolding, ordersNumbers: Bool) {
        (self.folding, self.ordersNumbers) = (folding, ordersNumbers)
    }

    /// - Parameters:
    ///   - foldsCase: `[c]`: whether case is ignored, with Unicode's simple case folding.
    ///   - foldsMarks: `[d]`: whether accents and other marks are ignored.
    ///   - ordersNumbers: `[n]`: whether runs of digits are compared as numbers.
    public init(foldsCase: Bool = false, foldsMarks: Bool = false, ordersNumbers: Bool = false) {
        self.init(
            folding: TextFolding(
                letterCase: foldsCase ? .unicode : .distinct, dropsMarks: foldsMarks),
            ordersNumbers: ordersNumbers)
    }

    /// Makes the rule for the letters of a suffix such as `[cd]`: `c` ignores case, `d` ignores
    /// diacritical marks, `n` compares runs of digits as numbers. Other bytes are ignored.
    package init(letters: some Sequence<UInt8>) {
        let letters = Array(letters)
        self.init(
            foldsCase: letters.contains(UInt8(ascii: "c")),
            foldsMarks: letters.contains(UInt8(ascii: "d")),
            ordersNumbers: letters.contains(UInt8(ascii: "n")))
    }

    /// Splits the value of an option that ends in a suffix such as `[cd]`. Returns the text before
    /// the suffix, and the rule for which the suffix stands; nil if there is no such suffix.
    package static func suffix(of text: String) -> (name: String, collation: TextCollation)? {
        guard text.hasSuffix("]"), let open = text.utf8.lastIndex(of: UInt8(ascii: "[")) else {
            return nil
        }
        let letters = text.utf8[text.utf8.index(after: open)...].dropLast()
        guard !letters.isEmpty, letters.allSatisfy({ "cdn".utf8.contains($0) }),
            Set(letters).count == letters.count
        else { return nil }
        return (String(text[..<open]), TextCollation(letters: letters))
    }

    public var isBinary: Bool { folding.isNone && !ordersNumbers }

    /// The suffix for this rule in the query language, such as `[cd]`; empty for `binary`.
    package var suffix: String {
        if isBinary { return "" }
        return "[" + (folding.foldsCase ? "c" : "") + (folding.dropsMarks ? "d" : "")
            + (ordersNumbers ? "n" : "") + "]"
    }

    /// Calls `body` with the sort key of a text, which is valid only during the call. Comparing
    /// keys byte by byte gives the order of the texts.
    func withKey<R>(of text: ByteView, _ body: (ByteView) -> R) -> R {
        if isBinary { return body(text) }
        return key(of: text).withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return body(.empty) }
            return body(ByteView(base, count: bytes.count))
        }
    }

    /// Compares two texts; returns a negative number, zero or a positive number.
    func compare(_ a: ByteView, _ b: ByteView) -> Int {
        withKey(of: a) { a in withKey(of: b) { b in ByteView.compare(a, b) } }
    }

    private func key(of text: ByteView) -> [UInt8] {
        let folded =
            folding.isNone
            ? text.bytes
            : text.isASCII
                ? text.buffer.map { folding.foldsCase && $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
                : folding.folded(text)
        return ordersNumbers ? Self.withOrderedNumbers(folded) : folded
    }

    /// Inserts the length of each run of digits before the run, so that longer numbers are greater:
    /// `file10` becomes `file`, `0`, a byte 2 and `10`. Leading zeros are removed. The inserted
    /// digit 0 makes the key sort among other texts where digits do. A length of 255 or more takes
    /// several bytes: 255 for each 255 digits, then the rest.
    private static func withOrderedNumbers(_ text: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(text.count + 8)
        var at = 0
        while at < text.count {
            guard isDigit(text[at]) else {
                key.append(text[at])
                at += 1
                continue
            }
            var end = at
            while end < text.count, isDigit(text[end]) { end += 1 }
            while at < end - 1, text[at] == UInt8(ascii: "0") { at += 1 }
            key.append(UInt8(ascii: "0"))
            key.append(contentsOf: repeatElement(.max, count: (end - at) / 255))
            key.append(UInt8((end - at) % 255))
            key.append(contentsOf: text[at..<end])
            at = end
        }
        return key
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
