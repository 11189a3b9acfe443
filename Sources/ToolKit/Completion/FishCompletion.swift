/// Completion for fish.
enum FishCompletion {
    static func source(_ table: CommandTable) -> String {
        var text = "# fish completion for \(table.name), generated from its option table.\n\n"
        if let first = table.operands.first, case .suggestion(let words) = first.kind {
            text += "complete -c \(table.name) -a \(quote(words.joined(separator: " ")))\n"
        }
        for option in table.options {
            text += "complete -c \(table.name)"
            if let short = option.short { text += " -s \(short)" }
            if let long = option.long { text += " -l \(long)" }
            text += argument(option) + " -d \(quote(option.summary))\n"
        }
        return text
    }

    private static func argument(_ option: OptionSpec) -> String {
        guard case .required(_, let kind) = option.argument else { return "" }
        switch kind {
        case .choice(let words), .suggestion(let words):
            return " -x -a \(quote(words.joined(separator: " ")))"
        case .file: return " -r -F"
        case .directory: return " -x -a \(quote("(__fish_complete_directories)"))"
        case .text, .count, .size, .duration: return " -x"
        }
    }

    private static func quote(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
