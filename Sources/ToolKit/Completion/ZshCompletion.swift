/// Completion for zsh, by `_arguments`.
enum ZshCompletion {
    static func source(_ table: CommandTable) -> String {
        let names = "_" + table.name.map { $0 == "-" ? "_" : String($0) }.joined() + "_names"
        let specs =
            table.options.map { option($0, names) }
            + operands(table.operands, names)
        let kinds = table.options.compactMap(\.argument.kind) + table.operands.map(\.kind)
        let usesNames = kinds.contains(where: asksDatabase)
        return """
            #compdef \(table.name)
            # zsh completion for \(table.name), generated from its option table.
            \(usesNames ? helper(names) : "")
            _arguments -s -S : \\
            \(specs.map { "    " + $0 }.joined(separator: " \\\n"))

            """
    }

    /// Returns a shell function that completes a word with class or property names. The function
    /// runs the tool with `--complete`, which reads the names from the database on the command
    /// line.
    private static func helper(_ name: String) -> String {
        """

        \(name)() {
            local -a found
            found=(${(f)"$(${words[1]} --complete=${@[-1]} "$PREFIX" "${(@)words[2,CURRENT-1]}" 2> /dev/null)"})
            compadd "${@[1,-2]}" -S '' -- $found
        }

        """
    }

    private static func option(_ option: OptionSpec, _ helper: String) -> String {
        let short = option.short.map { "-\($0)" + (takesNextWord(option) ? "+" : "") }
        let long = option.long.map { "--" + $0 + suffix(option) }
        let names = [short, long].compactMap { $0 }
        let plain = [option.short.map { "-\($0)" }, option.long.map { "--" + $0 }]
            .compactMap { $0 }.joined(separator: " ")
        let guardPart = option.isRepeatable ? "'*'" : "'(\(plain))'"
        let spelled = names.count == 1 ? names[0] : "{\(names.joined(separator: ","))}"
        return "\(guardPart)\(spelled)'[\(escape(option.summary))]\(argument(option, helper))'"
    }

    private static func takesNextWord(_ option: OptionSpec) -> Bool {
        if case .required = option.argument { return true }
        return false
    }

    /// Suffix of an option for zsh's `_arguments`. With `=`, the argument is the next word, or
    /// follows in the same word. With `=-`, it follows in the same word.
    private static func suffix(_ option: OptionSpec) -> String {
        switch option.argument {
        case .none: ""
        case .required: "="
        case .optional: "=-"
        }
    }

    private static func argument(_ option: OptionSpec, _ names: String) -> String {
        switch option.argument {
        case .none: ""
        case .required(let metavar, let kind): ":\(metavar):\(action(kind, names))"
        case .optional(let metavar, let kind): "::\(metavar):\(action(kind, names))"
        }
    }

    private static func action(_ kind: ValueKind, _ names: String) -> String {
        switch kind {
        case .choice(let words), .suggestion(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .directory: "_files -/"
        case .className: "\(names) class"
        case .properties: "\(names) property"
        case .text, .count, .size, .duration: " "
        }
    }

    private static func asksDatabase(_ kind: ValueKind) -> Bool {
        switch kind {
        case .className, .properties: true
        default: false
        }
    }

    private static func operands(_ operands: [OperandSpec], _ names: String) -> [String] {
        operands.enumerated().map { index, operand in
            let position = operand.isRepeatable ? "*" : String(index + 1)
            let colon = operand.isRequired || operand.isRepeatable ? ":" : "::"
            return "'\(position)\(colon)\(operand.name):\(action(operand.kind, names))'"
        }
    }

    private static func escape(_ text: String) -> String {
        text.map { character in
            switch character {
            case "[", "]", "\\": "\\\(character)"
            case "'": "'\\''"
            default: String(character)
            }
        }.joined()
    }
}
