/// Writes mdoc(7) source, one sentence per line.
struct MdocWriter {
    private(set) var source = ""
    /// Name and section of this page, in the form of `.Xr` arguments. A reference to the page
    /// itself is not written as `.Xr`.
    private let ownPage: String

    /// Writes the head of a page up to its NAME section.
    init(name: String, section: Int, summary: String) {
        ownPage = "\(name) \(section)"
        source = ".\\\" Generated from the tools' tables, which are the place for changes.\n"
        line(".Dd \(Capabilities.manualDate)")
        line(".Dt \(name.uppercased()) \(section)")
        line(".Os realm-tools \(Capabilities.version)")
        line(".Sh NAME")
        line(".Nm \(name)")
        line(".Nd \(summary)")
    }

    mutating func line(_ text: String) { source += text + "\n" }

    mutating func section(_ title: String, _ blocks: [ManualBlock]) {
        line(".Sh \(title)")
        self.blocks(blocks)
    }

    mutating func blocks(_ blocks: [ManualBlock]) {
        for (index, block) in blocks.enumerated() {
            // No `.Pp` is needed before a list or a display.
            if index > 0, block.isText { line(".Pp") }
            append(block)
        }
    }

    private mutating func append(_ block: ManualBlock) {
        switch block {
        case .paragraph(let prose): self.prose(prose)
        case .literal(let lines): literal(lines)
        case .definitions(let list):
            line(".Bl -tag -width Ds")
            for item in list {
                line(".It " + Self.term(item.term))
                prose(item.text)
            }
            line(".El")
        case .example(let caption, let lines):
            prose(caption)
            literal(lines)
        }
    }

    private mutating func literal(_ lines: [String]) {
        line(".Bd -literal -offset indent")
        for text in lines { line(Self.guarded(Self.escapeLiteral(text))) }
        line(".Ed")
    }

    /// Writes sentences. Literals are bold, and `page(section)` is a cross reference.
    mutating func prose(_ text: String) {
        for sentence in InlineText.sentences(text) {
            var current = ""
            var pieces = InlineText.pieces(sentence)[...]
            while let piece = pieces.popFirst() {
                switch piece {
                case .plain(let words): current += Self.escape(words)
                case .literal(let words):
                    guard let page = Self.page(words) else {
                        current += "\\fB" + Self.escapeLiteral(words) + "\\fP"
                        continue
                    }
                    if page == ownPage {
                        current += "this page"
                        continue
                    }
                    flush(&current)
                    line(".Xr \(page)" + Self.takePunctuation(&pieces))
                }
            }
            flush(&current)
        }
    }

    /// Writes the text collected so far. A long text is broken into lines.
    private mutating func flush(_ current: inout String) {
        var text = ""
        for word in current.split(separator: " ") {
            if !text.isEmpty, text.count + 1 + word.count > 79 {
                line(Self.guarded(text))
                text = ""
            }
            text += (text.isEmpty ? "" : " ") + word
        }
        if !text.isEmpty { line(Self.guarded(text)) }
        current = ""
    }

    /// Removes punctuation from the beginning of the text after a macro and returns it as macro
    /// arguments. Otherwise a blank would precede it.
    private static func takePunctuation(_ pieces: inout ArraySlice<InlineText.Piece>) -> String {
        guard case .plain(let words) = pieces.first, let mark = words.first, ".,;:)".contains(mark)
        else { return "" }
        pieces[pieces.startIndex] = .plain(String(words.dropFirst()))
        return " \(mark)"
    }

    /// Returns the arguments of `.Xr` for a text such as `realm-tools(7)`. Nil for similar text
    /// such as `LIMIT(20)` or `oid(65e5...)`: a page has a lower-case name, and a section of one
    /// digit.
    private static func page(_ literal: String) -> String? {
        let parts = literal.split(separator: "(", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = parts[0].utf8.first, isSmallLetter(first),
            parts[0].utf8.allSatisfy({ isSmallLetter($0) || $0 == UInt8(ascii: "-") }),
            parts[1].utf8.count == 2, parts[1].hasSuffix(")"), let section = parts[1].first,
            ("1"..."8").contains(section)
        else { return nil }
        return "\(parts[0]) \(section)"
    }

    private static func isSmallLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// Formats the term of a list item: literals as commands, other words unchanged.
    private static func term(_ text: String) -> String {
        InlineText.pieces(text).map { piece in
            switch piece {
            case .plain(let words):
                words.split(separator: " ").map { argument(String($0)) }.joined(separator: " ")
            case .literal(let words): "Cm " + argument(escapeLiteral(words))
            }
        }.joined(separator: " ")
    }

    /// Escapes a word that mdoc could take for a macro.
    static func argument(_ word: String) -> String {
        word.count <= 3 && word.first?.isUppercase == true ? "\\&" + word : word
    }

    static func escape(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
    }

    /// Escapes text that must be rendered exactly as written, so that it can be copied from the
    /// page.
    static func escapeLiteral(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default: result.append(character)
            }
        }
        return result
    }

    /// Escapes a text line that begins like an mdoc request.
    private static func guarded(_ text: String) -> String {
        text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}

extension ManualBlock {
    /// Whether the block begins with prose.
    fileprivate var isText: Bool {
        switch self {
        case .paragraph, .example: true
        case .literal, .definitions: false
        }
    }
}
