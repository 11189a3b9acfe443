/// The manual page of a tool, as mdoc(7) source.
enum ManualPage {
    static func source(_ table: CommandTable) -> String {
        let manual = table.manual()
        var page = MdocWriter(name: table.name, section: 1, summary: table.summary)
        page.line(".Sh SYNOPSIS")
        for line in table.synopsis {
            page.line(".Nm")
            for word in line.words.split(separator: " ") { page.line("." + synopsis(word)) }
        }
        page.section("DESCRIPTION", manual.description)
        page.line(".Pp")
        page.prose("The operands are:")
        operands(table.operands, on: &page)
        page.line(".Sh OPTIONS")
        for (section, options) in table.optionsBySection {
            page.line(".Ss \(section.rawValue)")
            self.options(options, on: &page)
        }
        for section in manual.sections { page.section(section.title, section.blocks) }
        return page.source
    }

    private static func operands(_ operands: [OperandSpec], on page: inout MdocWriter) {
        page.line(".Bl -tag -width Ds")
        for operand in operands {
            page.line(".It Ar \(operand.name)")
            page.prose(operand.details)
        }
        page.line(".El")
    }

    /// A list of options with their long descriptions.
    static func options(_ options: [OptionSpec], on page: inout MdocWriter) {
        page.line(".Bl -tag -width Ds")
        for option in options {
            page.line(".It " + head(option))
            for sentence in option.sentences { page.prose(sentence) }
        }
        page.line(".El")
    }

    private static func head(_ option: OptionSpec) -> String {
        var spellings: [String] = []
        if let short = option.short { spellings.append("Fl \(short)") }
        if let long = option.long { spellings.append("Fl \\-\(dashes(long))") }
        let head = spellings.joined(separator: " , ")
        switch option.argument {
        case .none: return head
        case .required(let metavar, _): return head + " Ar \(metavar)"
        case .optional(let metavar, _): return head + " Ns Oo Ns = Ns Ar \(metavar) Oc"
        }
    }

    /// Converts a word of a synopsis line to mdoc macros. A bracket may open before one word and
    /// close after a later word: `[CLASS [PREDICATE]]`.
    private static func synopsis(_ word: Substring) -> String {
        if word.hasPrefix("[") { return "Oo " + synopsis(word.dropFirst()) }
        if word.hasSuffix("]") { return synopsis(word.dropLast()) + " Oc" }
        if word == "-" { return "Cm \\-" }
        if word.hasPrefix("--") { return "Fl \\-" + dashes(String(word.dropFirst(2))) }
        if word.hasPrefix("-") { return "Fl \(word.dropFirst())" }
        return "Ar \(word)"
    }

    private static func dashes(_ name: String) -> String {
        name.split(separator: "-").joined(separator: "\\-")
    }
}
