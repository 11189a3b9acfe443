/// What the text of an argument must be: decides how it is checked and how it is completed.
package enum ValueKind: Sendable {
    /// Any text; the tool gives it a meaning.
    case text
    /// A whole number, decimal or `0x`, inside the range.
    case count(ClosedRange<Int>)
    /// Bytes: `512`, `64KiB`, `4M`.
    case size
    /// A time: `250ms`, `5s`.
    case duration
    /// One of these words.
    case choice([String])
    /// Any text; these words are offered.
    case suggestion([String])
    /// The name of a file; `-` is up to the tool.
    case file
    /// The name of a directory.
    case directory
    /// Any text; the classes of the database that is the first operand are offered.
    case className
    /// Any text; properties are offered, behind commas too: of the class that is the second operand.
    case properties
}

extension ValueKind {
    /// Why `text` is not of the kind; nil when it is.
    func objection(to text: String) -> Objection? {
        switch self {
        case .text, .suggestion, .className, .properties: return nil
        case .file, .directory:
            return text.isEmpty ? Objection(to: text, "not a file name") : nil
        case .count(let range):
            if let number = ValueForms.count(text), range.contains(number) { return nil }
            return Objection(
                to: text,
                range.upperBound == .max
                    ? "not a whole number of \(range.lowerBound) or more"
                    : "not a whole number from \(range.lowerBound) to \(range.upperBound)")
        case .size:
            if ValueForms.size(text) != nil { return nil }
            return Objection(to: text, "not a size such as 512, 64KiB, 4M or 1GiB")
        case .duration:
            if ValueForms.duration(text) != nil { return nil }
            return Objection(to: text, "not a duration such as 250ms, 5s, 2m or 1h")
        case .choice(let words):
            if words.contains(text) { return nil }
            return Objection(
                to: text, "not one of " + words.joined(separator: ", "),
                near: Spelling.nearest(to: text, among: words))
        }
    }
}
