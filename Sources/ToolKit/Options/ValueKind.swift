import RealmRecords

/// Kind of text of an argument, which determines its validation and its completion.
package enum ValueKind: Sendable {
    /// Any text. The tool interprets it.
    case text
    /// A whole number, decimal or `0x`, inside the range.
    case count(ClosedRange<Int>)
    /// A number of bytes: `512`, `64KiB`, `4M`.
    case size
    /// A duration: `250ms`, `5s`.
    case duration
    /// One of the given words.
    case choice([String])
    /// Any text; completion offers these words.
    case suggestion([String])
    /// A file name; the tool interprets `-`.
    case file
    /// A directory name.
    case directory
    /// Any text; completion offers the classes of the database, which is the first operand.
    case className
    /// Any text, possibly a list with commas; completion offers the properties of the class, which
    /// is the second operand.
    case properties
}

extension ValueKind {
    /// Returns an error if `text` is not an argument of this kind; nil if it is.
    func objection(to text: String) -> OptionValueError? {
        switch self {
        case .text, .suggestion, .className, .properties: return nil
        case .file, .directory:
            return text.isEmpty ? OptionValueError(to: text, "not a file name") : nil
        case .count(let range):
            if let number = ValueForms.count(text), range.contains(number) { return nil }
            return OptionValueError(
                to: text,
                range.upperBound == .max
                    ? "not a whole number of \(range.lowerBound) or more"
                    : "not a whole number from \(range.lowerBound) to \(range.upperBound)")
        case .size:
            if ValueForms.size(text) != nil { return nil }
            return OptionValueError(to: text, "not a size such as 512, 64KiB, 4M or 1GiB")
        case .duration:
            if ValueForms.duration(text) != nil { return nil }
            return OptionValueError(to: text, "not a duration such as 250ms, 5s, 2m or 1h")
        case .choice(let words):
            if words.contains(text) { return nil }
            return OptionValueError(
                to: text, "not one of " + words.joined(separator: ", "),
                near: Spelling.nearest(to: text, among: words))
        }
    }
}
