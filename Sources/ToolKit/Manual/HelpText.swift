/// Output of `-h` and `--help`: plain text without escape sequences.
enum HelpText {
    /// The usage, and one line for each option.
    static func short(_ table: CommandTable) -> String {
        let usages = table.synopsis.map { "\(table.name) \($0.words)" }
        let column = (usages.map(\.count).max() ?? 0) + 2
        var text = ""
        for (index, usage) in usages.enumerated() {
            text += index == 0 ? "usage: " : "       "
            text += pad(usage, to: column) + table.synopsis[index].meaning + "\n"
        }
        let width = (table.options.map { label($0).count }.max() ?? 0) + 2
        for (section, options) in table.optionsBySection {
            text += section.rawValue + ":\n"
            for option in options {
                text += "  " + pad(label(option), to: width) + option.summary + "\n"
            }
        }
        return text
    }

    /// The content of the manual page as plain text.
    static func full(_ table: CommandTable) -> String {
        let manual = table.manual()
        var text = "\(table.name) - \(table.summary)\n\nUSAGE\n"
        for line in table.synopsis { text += "  \(table.name) \(line.words)\n" }
        text += heading("DESCRIPTION") + blocks(manual.description)
        text += heading("OPERANDS")
        for operand in table.operands { text += item(operand.name, operand.details) }
        for (section, options) in table.optionsBySection {
            text += heading("OPTIONS: " + section.rawValue)
            for option in options {
                text += item(label(option), option.sentences.joined(separator: " "))
            }
        }
        for section in manual.sections { text += heading(section.title) + blocks(section.blocks) }
        return text
    }

    /// Spelling of an option: `-L, --limit N`, `    --wait[=DUR]`.
    private static func label(_ option: OptionSpec) -> String {
        guard let long = option.long else { return option.spelling }
        let prefix = option.short.map { "-\($0), " } ?? "    "
        switch option.argument {
        case .none: return prefix + "--" + long
        case .required(let metavar, _): return prefix + "--\(long) \(metavar)"
        case .optional(let metavar, _): return prefix + "--\(long)[=\(metavar)]"
        }
    }

    private static func heading(_ title: String) -> String { "\n\(title)\n" }

    private static func item(_ term: String, _ prose: String) -> String {
        "  \(term)\n        \(InlineText.wrap(prose, indent: 8))\n"
    }

    private static func blocks(_ blocks: [ManualBlock]) -> String {
        blocks.map(block).joined(separator: "\n")
    }

    private static func block(_ block: ManualBlock) -> String {
        switch block {
        case .paragraph(let prose): "  \(InlineText.wrap(prose, indent: 2))\n"
        case .literal(let lines): literal(lines)
        case .definitions(let list):
            list.map { item(InlineText.plain($0.term), $0.text) }.joined()
        case .example(let caption, let lines):
            "  \(InlineText.wrap(caption, indent: 2))\n" + literal(lines)
        }
    }

    private static func literal(_ lines: [String]) -> String {
        lines.map { $0.isEmpty ? "\n" : "      \($0)\n" }.joined()
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
