/// The words of a predicate's text, spaces and all.
struct PredicateWords {
    enum Word {
        /// A place for an argument: the last character of what stands there.
        case argument(Character)
        case name(String)
        /// An operator of punctuation.
        case symbol(String)
        /// What stands in brackets behind an operator.
        case options(String)
        case other(String)
    }

    private var rest: Substring
    /// Options may follow.
    private var isBehindOperator = false

    init(_ text: String) { rest = text[...] }

    /// The next character, behind spaces.
    var character: Character? { rest.first { !$0.isWhitespace } }

    mutating func next() -> Word? {
        guard let first = rest.first else { return nil }
        if isBehindOperator, let letters = options() {
            isBehindOperator = false
            return .options(letters)
        }
        isBehindOperator = false
        if first == "%", let kind = argument() { return .argument(kind) }
        if first == "'" || first == "\"" { return .other(quoted(first)) }
        if Self.begins(first) {
            let name = String(taken { Self.begins($0) || $0.isNumber })
            isBehindOperator = Self.operators.contains(name.uppercased())
            return .name(name)
        }
        if Self.signs.contains(first) {
            isBehindOperator = true
            return .symbol(String(taken { Self.signs.contains($0) }))
        }
        return .other(String(rest.removeFirst()))
    }

    private static let signs: Set<Character> = ["=", "<", ">", "!"]
    private static let operators: Set<String> = [
        "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "IN",
    ]

    private static func begins(_ character: Character) -> Bool {
        character.isLetter || "_$@#".contains(character)
            || !character.isASCII && !character.isWhitespace
    }

    private mutating func taken(_ isPart: (Character) -> Bool) -> Substring {
        let part = rest.prefix(while: isPart)
        rest = rest[part.endIndex...]
        return part
    }

    private mutating func quoted(_ mark: Character) -> String {
        var text = String(rest.removeFirst())
        while let character = rest.popFirst() {
            text.append(character)
            if character == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else if character == mark {
                break
            }
        }
        return text
    }

    private mutating func options() -> String? {
        guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return nil }
        let letters = rest[rest.index(after: rest.startIndex)..<end]
        guard letters.allSatisfy({ "cdnlw".contains($0) }) else { return nil }
        rest = rest[rest.index(after: end)...]
        return String(letters)
    }

    /// Takes a place for an argument, if one comes next.
    mutating func argument() -> Character? {
        var text = rest.drop(while: \.isWhitespace)
        guard text.first == "%" else { return nil }
        text.removeFirst()
        while let size = text.first, "lqhz".contains(size) { text.removeFirst() }
        guard let kind = text.popFirst() else { return nil }
        rest = text
        return kind
    }
}
