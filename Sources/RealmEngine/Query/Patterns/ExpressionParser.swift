/// Parses a regular expression in ICU's syntax. Look-around, back-references and possessive
/// repetitions are errors, because an automaton cannot match them.
struct ExpressionParser {
    struct Failure: Error, Equatable {
        let message: String
        /// Offset in scalars from the start of the expression to its mistake.
        let offset: Int
    }

    private struct Flags {
        /// Flag `i`: letters match in both cases.
        var foldsCase: Bool
        /// Flag `s`: `.` also matches line ends.
        var dotIsAll = false
        /// Flag `m`: `^` and `$` match at each line.
        var isMultiline = false
        /// Flag `x`: white space and `#` comments in the expression are ignored.
        var isSpaced = false
    }

    private let scalars: [UInt32]
    private var at = 0
    private var depth = 0
    private var flags: Flags

    /// Maximum nesting of groups and character sets in a regular expression.
    static let maximumDepth = 100
    /// Maximum of `n` and `m` in a repetition `{n,m}`.
    static let maximumCount = 1000

    private init(_ text: String, foldsCase: Bool) {
        scalars = text.unicodeScalars.map(\.value)
        flags = Flags(foldsCase: foldsCase)
    }

    static func tree(_ text: String, foldsCase: Bool) throws(Failure) -> ExpressionTree {
        var parser = ExpressionParser(text, foldsCase: foldsCase)
        let tree = try parser.choice()
        if parser.at < parser.scalars.count { throw parser.failure("')' without '('") }
        return tree
    }

    // MARK: Choices, sequences, repetitions

    private mutating func choice() throws(Failure) -> ExpressionTree {
        let before = flags
        defer { flags = before }
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(Failure) -> ExpressionTree {
        var parts: [ExpressionTree] = []
        while true {
            skipSpace()
            guard let next = peek, next != "|", next != ")" else { break }
            guard let atom = try atom() else { continue }
            parts.append(try repetition(of: atom))
        }
        switch parts.count {
        case 0: return .empty
        case 1: return parts[0]
        default: return .sequence(parts)
        }
    }

    private mutating func repetition(of atom: ExpressionTree) throws(Failure) -> ExpressionTree {
        var tree = atom
        while true {
            skipSpace()
            let start = at
            guard let (minimum, maximum) = try bounds() else { return tree }
            if start != at, take("+") {
                throw failure("possessive repetitions are not supported", at: start)
            }
            // A lazy repetition matches the same values as a greedy one, because a match is always
            // of the whole value.
            _ = take("?")
            tree = .repeated(tree, minimum: minimum, maximum: maximum)
            if let next = peek, next == "*" || next == "+" || next == "?" {
                throw failure("a repetition of a repetition")
            }
        }
    }

    private mutating func bounds() throws(Failure) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = at
        guard take("{") else { return nil }
        guard let minimum = number() else {
            throw failure("a count '{n}', '{n,}' or '{n,m}'; a brace itself is '\\{'", at: start)
        }
        var maximum: Int? = minimum
        if take(",") { maximum = number() }
        guard take("}") else { throw failure("'{' without '}'", at: start) }
        if max(minimum, maximum ?? 0) > Self.maximumCount {
            throw failure("a count above \(Self.maximumCount)", at: start)
        }
        if let maximum, maximum < minimum { throw failure("a count that falls", at: start) }
        return (minimum, maximum)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let next = peek, let digit = next.wholeNumber {
            value = min((value ?? 0) * 10 + digit, 1_000_000)
            at += 1
        }
        return value
    }

    // MARK: Atoms

    /// Parses an atom of a regular expression, such as a character, set or group. Nil at the
    /// end, and for flags and comments, such as `(?i)`, which match no text.
    private mutating func atom() throws(Failure) -> ExpressionTree? {
        let start = at
        guard let next = peek else { return nil }
        at += 1
        switch next {
        case "(": return try group(start)
        case "[":
            let set = try set(start)
            return .scalars(flags.foldsCase ? set.closedOverCase : set)
        case ".": return .scalars(flags.dotIsAll ? .all : ScalarSet.lineEnds.inverted)
        case "^": return .assertion(flags.isMultiline ? .lineStart : .start)
        case "$": return .assertion(flags.isMultiline ? .lineEnd : .end)
        case "\\": return try escape(start)
        case "*", "+", "?", "{":
            throw failure("nothing before '\(next)' to repeat", at: start)
        default: return literal(scalars[start])
        }
    }

    private func literal(_ scalar: UInt32) -> ExpressionTree {
        let set = ScalarSet(scalar)
        return .scalars(flags.foldsCase ? set.closedOverCase : set)
    }

    private mutating func group(_ start: Int) throws(Failure) -> ExpressionTree? {
        let before = flags
        if take("?") {
            if take("#") {
                while let next = peek, next != ")" { at += 1 }
                guard take(")") else { throw failure("'(?#' without ')'", at: start) }
                return nil
            }
            guard take(":") else {
                if peek == "<", let next = peek(1), next.isASCIILetter {
                    while let next = peek, next != ">" { at += 1 }
                    guard take(">") else { throw failure("'(?<' without '>'", at: start) }
                    return try group(start, flags: before)
                }
                try changeFlags(start)
                if take(")") { return nil }
                return try group(start, flags: before)
            }
        }
        return try group(start, flags: before)
    }

    /// Parses the rest of a group after its opening parenthesis, then sets `flags` back to
    /// `before`.
    private mutating func group(_ start: Int, flags before: Flags) throws(Failure) -> ExpressionTree
    {
        depth += 1
        if depth > Self.maximumDepth { throw failure("too many groups in each other", at: start) }
        let tree = try choice()
        guard take(")") else { throw failure("'(' without ')'", at: start) }
        depth -= 1
        flags = before
        // An empty group `()` has a tree too, so that a quantifier after it has something to
        // repeat.
        return tree
    }

    private mutating func changeFlags(_ start: Int) throws(Failure) {
        var isOn = true
        var isEmpty = true
        while let next = peek, next != ")", next != ":" {
            switch next {
            case "-": isOn = false
            case "i": flags.foldsCase = isOn
            case "s": flags.dotIsAll = isOn
            case "m": flags.isMultiline = isOn
            case "x": flags.isSpaced = isOn
            case "=", "!", "<":
                throw failure("look-ahead and look-behind are not supported", at: start)
            case ">": throw failure("atomic groups are not supported", at: start)
            default: throw failure("an unknown flag '\(next)'")
            }
            isEmpty = false
            at += 1
        }
        if isEmpty { throw failure("'(?' without a flag", at: start) }
        if peek == ":" { at += 1 }
    }

    // MARK: Escapes

    private mutating func escape(_ start: Int) throws(Failure) -> ExpressionTree? {
        guard let next = peek else { throw failure("nothing behind '\\'", at: start) }
        switch next {
        case "b", "B":
            at += 1
            return .assertion(next == "b" ? .wordBoundary : .noWordBoundary)
        case "A":
            at += 1
            return .assertion(.start)
        case "z", "Z":
            at += 1
            return .assertion(.end)
        case "Q":
            at += 1
            return quoted()
        case "R":
            at += 1
            return .choice([
                .sequence([.scalars(ScalarSet(0x0D)), .scalars(ScalarSet(0x0A))]),
                .scalars(.lineEnds),
            ])
        case "1"..."9", "k": throw failure("back-references are not supported", at: start)
        case "G", "X": throw failure("'\\\(next)' is not supported", at: start)
        default:
            if let set = try classEscape(start) {
                return .scalars(flags.foldsCase ? set.closedOverCase : set)
            }
            return literal(try scalarEscape(start))
        }
    }

    private mutating func quoted() -> ExpressionTree {
        var parts: [ExpressionTree] = []
        while at < scalars.count {
            if peek == "\\", peek(1) == "E" {
                at += 2
                break
            }
            parts.append(literal(scalars[at]))
            at += 1
        }
        return .sequence(parts)
    }

    /// Parses `\d` and similar escapes and `\p{..}`; nil for other escapes.
    private mutating func classEscape(_ start: Int) throws(Failure) -> ScalarSet? {
        guard let next = peek else { return nil }
        let set: ScalarSet
        switch next {
        case "d", "D": set = .digits
        case "w", "W": set = .words
        case "s", "S": set = .spaces
        case "h", "H": set = .horizontalSpaces
        case "v", "V": set = .lineEnds
        case "p", "P": set = try property(start)
        default: return nil
        }
        at += 1
        return "DWSHVP".unicodeScalars.contains(next) ? set.inverted : set
    }

    /// Parses `p{...}` up to its last scalar, which the caller skips.
    private mutating func property(_ start: Int) throws(Failure) -> ScalarSet {
        at += 1
        var name = ""
        var isNegated = false
        if take("{") {
            if take("^") { isNegated = true }
            while let next = peek, next != "}" {
                name.unicodeScalars.append(next)
                at += 1
            }
            guard peek == "}" else { throw failure("'\\p{' without '}'", at: start) }
        } else if let next = peek {
            name.unicodeScalars.append(next)
        }
        guard let set = ScalarSet.property(name) else {
            throw failure("'\(name)' is no general category of Unicode", at: start)
        }
        return isNegated ? set.inverted : set
    }

    private mutating func scalarEscape(_ start: Int) throws(Failure) -> UInt32 {
        guard let next = peek else { throw failure("nothing behind '\\'", at: start) }
        at += 1
        switch next {
        case "t": return 0x09
        case "n": return 0x0A
        case "f": return 0x0C
        case "r": return 0x0D
        case "a": return 0x07
        case "e": return 0x1B
        case "0": return try digits(1...3, radix: 8, start)
        case "u": return try digits(4...4, radix: 16, start)
        case "U": return try digits(8...8, radix: 16, start)
        case "x":
            guard take("{") else { return try digits(1...2, radix: 16, start) }
            let value = try digits(1...6, radix: 16, start)
            guard take("}") else { throw failure("'\\x{' without '}'", at: start) }
            return value
        case "c":
            guard let control = peek, control.isASCII else {
                throw failure("'\\c' without a letter", at: start)
            }
            at += 1
            return control.value & 0x1F
        default:
            // Other letters and digits are reserved by ICU for future escapes.
            if next.isASCIILetter || next.wholeNumber != nil {
                throw failure("an unknown escape '\\\(next)'", at: start)
            }
            return next.value
        }
    }

    private mutating func digits(
        _ count: ClosedRange<Int>, radix: UInt32, _ start: Int
    ) throws(Failure) -> UInt32 {
        var (value, read) = (UInt32(0), 0)
        while read < count.upperBound, let digit = peek?.hexDigit, digit < radix {
            value = value * radix + digit
            read += 1
            at += 1
        }
        guard read >= count.lowerBound, Unicode.Scalar(value) != nil else {
            throw failure("no Unicode scalar behind the escape", at: start)
        }
        return value
    }

    // MARK: Sets

    /// Parses a set `[..]` after its opening bracket.
    private mutating func set(_ start: Int) throws(Failure) -> ScalarSet {
        depth += 1
        if depth > Self.maximumDepth { throw failure("too many sets in each other", at: start) }
        defer { depth -= 1 }
        let isNegated = take("^")
        var set = ScalarSet()
        var isFirst = true
        while true {
            guard let next = peek else { throw failure("'[' without ']'", at: start) }
            if next == "]", !isFirst {
                at += 1
                break
            }
            isFirst = false
            if next == "&", peek(1) == "&" {
                at += 2
                set = set.intersection(try rest(start))
                break
            }
            if next == "-", peek(1) == "-" {
                at += 2
                set = set.subtracting(try rest(start))
                break
            }
            set = set.union(try member(start))
        }
        // With case folding, a negated set excludes both cases of its letters.
        if isNegated { return (flags.foldsCase ? set.closedOverCase : set).inverted }
        return set
    }

    /// Parses the set to the right of `&&` or `--`, as in `[a-z&&[^aeiou]]`, and the bracket that
    /// closes the whole set.
    private mutating func rest(_ start: Int) throws(Failure) -> ScalarSet {
        depth += 1
        if depth > Self.maximumDepth { throw failure("too many sets in each other", at: start) }
        defer { depth -= 1 }
        var set = ScalarSet()
        while true {
            guard let next = peek else { throw failure("'[' without ']'", at: start) }
            if next == "]" {
                at += 1
                return set
            }
            if next == "&", peek(1) == "&" {
                at += 2
                return set.intersection(try rest(start))
            }
            if next == "-", peek(1) == "-" {
                at += 2
                return set.subtracting(try rest(start))
            }
            set = set.union(try member(start))
        }
    }

    private mutating func member(_ start: Int) throws(Failure) -> ScalarSet {
        let from = at
        if take("[") {
            if take(":") { return try posix(from) }
            return try set(from)
        }
        if peek == "\\" {
            at += 1
            if let set = try classEscape(from) { return set }
            at -= 1
        }
        let low = try setScalar(start)
        guard peek == "-", let next = peek(1), next != "]", next != "-", next != "[" else {
            return ScalarSet(low)
        }
        at += 1
        let high = try setScalar(start)
        guard low <= high else { throw failure("a range that falls", at: from) }
        return ScalarSet([low...high])
    }

    private mutating func setScalar(_ start: Int) throws(Failure) -> UInt32 {
        guard let next = peek else { throw failure("'[' without ']'", at: start) }
        let from = at
        at += 1
        guard next == "\\" else { return next.value }
        if peek == "b" {
            at += 1
            return 0x08
        }
        return try scalarEscape(from)
    }

    /// Parses a POSIX class such as `[:alpha:]`, from the position after its first colon.
    private mutating func posix(_ start: Int) throws(Failure) -> ScalarSet {
        let isNegated = take("^")
        var name = ""
        while let next = peek, next != ":" {
            name.unicodeScalars.append(next)
            at += 1
        }
        guard take(":"), take("]") else { throw failure("'[:' without ':]'", at: start) }
        guard let set = ScalarSet.property(name) else {
            throw failure("'\(name)' is no set of characters", at: start)
        }
        return isNegated ? set.inverted : set
    }

    // MARK: Scalars

    private var peek: Unicode.Scalar? { peek(0) }

    private func peek(_ ahead: Int) -> Unicode.Scalar? {
        at + ahead < scalars.count ? Unicode.Scalar(scalars[at + ahead]) : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        guard flags.isSpaced else { return }
        while let next = peek {
            if next == "#" {
                while let next = peek, next != "\n" { at += 1 }
            } else if !next.properties.isPatternWhitespace {
                return
            } else {
                at += 1
            }
        }
    }

    private func failure(_ message: String, at offset: Int? = nil) -> Failure {
        Failure(message: message, offset: offset ?? at)
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIILetter: Bool { isASCII && (value | 0x20) &- 0x61 < 26 }

    fileprivate var wholeNumber: Int? { value &- 0x30 < 10 ? Int(value - 0x30) : nil }

    fileprivate var hexDigit: UInt32? {
        if value &- 0x30 < 10 { return value - 0x30 }
        let letter = (value | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}
