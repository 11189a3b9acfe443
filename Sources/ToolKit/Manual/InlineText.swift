/// Parses manual prose into plain text and literals between grave accents.
package enum InlineText {
    enum Piece: Equatable {
        case plain(String)
        case literal(String)
    }

    static func pieces(_ text: String) -> [Piece] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap {
            if $1.isEmpty { return nil }
            return $0.isMultiple(of: 2) ? .plain(String($1)) : .literal(String($1))
        }
    }

    /// The text without grave accents. A literal without letters and digits gets quotation marks,
    /// so that it is recognisable.
    static func plain(_ text: String) -> String {
        pieces(text).map { piece in
            switch piece {
            case .plain(let words): words
            case .literal(let words): words.contains(where: isWordCharacter) ? words : "'\(words)'"
            }
        }.joined()
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Splits a text into sentences, because mdoc sources have one sentence per line.
    static func sentences(_ text: String) -> [String] {
        var found: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let begins = word.first.map { $0.isUppercase || $0 == "`" } ?? false
            if begins, current.hasSuffix(".") {
                found.append(current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        if !current.isEmpty { found.append(current) }
        return found
    }

    /// Breaks a text into lines of at most `width` columns; lines after the first are indented.
    package static func wrap(_ text: String, indent: Int, width: Int = 79) -> String {
        var lines: [String] = []
        var line = ""
        for word in plain(text).split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}

extension OptionSpec {
    /// The sentences of the long description, followed by the options that this option excludes,
    /// and its default.
    var sentences: [String] {
        [details, exclusionSentence, defaultSentence].compactMap { $0 }
    }

    private var exclusionSentence: String? {
        if excludes.isEmpty { return nil }
        return "Not with " + excludes.map { "`--\($0)`" }.joined(separator: " or ") + "."
    }

    private var defaultSentence: String? {
        guard let defaultText else { return nil }
        let isWord = !defaultText.contains(" ") && !defaultText.contains("`")
        return "Default: " + (isWord ? "`\(defaultText)`" : defaultText) + "."
    }
}
