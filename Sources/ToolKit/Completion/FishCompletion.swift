/// Completion for fish.
enum FishCompletion {
    static func source(_ table: CommandTable) -> String {
        var text = "# fish completion for \(table.name), generated from its option table.\n\n"
        if let first = table.operands.first, case .suggestion(let words) = first.kind {
            text += "complete -c \(table.name) -a \(quote(words.joined(separator: " ")))\n"
        }
        if table.completesClasses {
            text += "complete -c \(table.name) -a \(quote(names("class", table.name)))\n"
        }
        for option in table.options {
            text += "complete -c \(table.name)"
            if let short = option.short { text += " -s \(short)" }
            if let long = option.long { text += " -l \(long)" }
            text += argument(option, table.name) + " -d \(quote(option.summary))\n"
        }
        return text
    }

    private static func argument(_ option: OptionSpec, _ tool: String) -> String {
        guard case .required(_, let kind) = option.argument else { return "" }
        switch kind {
        case .choice(let words), .suggestion(let words):
            return " -x -a \(quote(words.joined(separator: " ")))"
        case .file: return " -r -F"
        case .directory: return " -x -a \(quote("(__fish_complete_directories)"))"
        case .className: return " -x -a \(quote(names("class", tool)))"
        case .properties: return " -x -a \(quote(names("property", tool)))"
        case .text, .count, .size, .duration: return " -x"
        }
    }

    /// Shell command that prints class or property names, with `--complete`. The names are read
    /// from the database that the command line names.
    private static func names(_ what: String, _ tool: String) -> String {
        "(\(tool) --complete=\(what) (commandline -ct) (commandline -opc)[2..-1] 2> /dev/null)"
    }

    private static func quote(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
