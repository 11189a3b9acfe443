/// Completion for bash: one function that does not need the bash-completion package.
enum BashCompletion {
    static func source(_ table: CommandTable) -> String {
        let function = "_" + table.name.map { $0 == "-" ? "_" : String($0) }.joined()
        let words = table.options.flatMap(spellings).joined(separator: " ")
        return """
            # bash completion for \(table.name), generated from its option table.

            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1))
                COMPREPLY=()
                # bash takes --option=value apart into three words.
                if [[ $word == "=" ]]; then
                    word=
                elif [[ ${COMP_WORDS[index]} == "=" ]]; then
                    index=$((index - 1))
                fi
                case ${COMP_WORDS[index]} in
            \(cases(table))    esac
                if [[ $word == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "\(words)" -- "$word")
                    return
                fi
            \(operands(table))}

            complete -F \(function) \(table.name)

            """
    }

    private static func spellings(_ option: OptionSpec) -> [String] {
        [option.short.map { "-\($0)" }, option.long.map { "--" + $0 }].compactMap { $0 }
    }

    /// Returns the branches of a shell `case` statement. A branch handles all options whose
    /// argument is completed in the same way.
    private static func cases(_ table: CommandTable) -> String {
        var branches: [(action: String, patterns: [String])] = []
        for option in table.options {
            guard case .required(_, let kind) = option.argument else { continue }
            let action = self.action(kind)
            if let index = branches.firstIndex(where: { $0.action == action }) {
                branches[index].patterns += spellings(option)
            } else {
                branches.append((action, spellings(option)))
            }
        }
        return branches.map { branch in
            var text = "        \(branch.patterns.joined(separator: " | ")))\n"
            for line in branch.action.split(separator: "\n") { text += "            \(line)\n" }
            return text + "            return\n            ;;\n"
        }.joined()
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .choice(let words), .suggestion(let words):
            "mapfile -t COMPREPLY < <(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\")"
        case .file:
            "compopt -o filenames\nmapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
        case .directory:
            "compopt -o filenames\nmapfile -t COMPREPLY < <(compgen -d -- \"$word\")"
        case .className: names("class", then: nil)
        case .properties: names("property", then: nil)
        case .text, .count, .size, .duration: ""
        }
    }

    /// Returns shell code that completes a word with class or property names. The code runs the
    /// tool with `--complete`, which reads the names from the database on the command line. If it
    /// prints none, the code runs `other`.
    private static func names(_ what: String, then other: String?) -> String {
        "local IFS=$'\\n'\n"
            + "mapfile -t COMPREPLY < <(\"${COMP_WORDS[0]}\" --complete=\(what) \"$word\" \\\n"
            + "    \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" 2> /dev/null)"
            + (other.map { "\n[[ ${#COMPREPLY[@]} -gt 0 ]] && return\n" + $0 } ?? "")
    }

    private static func operands(_ table: CommandTable) -> String {
        guard let first = table.operands.first else { return "" }
        var action = self.action(first.kind)
        if table.completesClasses { action = names("class", then: action) }
        return action.split(separator: "\n").map { "    \($0)\n" }.joined()
    }
}
