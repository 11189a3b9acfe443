/// Completion for zsh, by `_arguments`.
enum ZshCompletion {
    static func source(_ table: CommandTable) -> String {
        let specs = table.options.map(option) + operands(table.operands)
        return """
            #compdef \(table.name)
            # zsh completion for \(table.name), generated from its option table.

            _arguments -s -S : \\
            \(specs.map { "    " + $0 }.joined(separator: " \\\n"))

            """
    }

    private static func option(_ option: OptionSpec) -> String {
        let short = option.short.map { "-\($0)" + (takesNextWord(option) ? "+" : "") }
        let long = option.long.map { "--" + $0 + suffix(option) }
        let names = [short, long].compactMap { $0 }
        let plain = [option.short.map { "-\($0)" }, option.long.map { "--" + $0 }]
            .compactMap { $0 }.joined(separator: " ")
        let guardPart = option.isRepeatable ? "'*'" : "'(\(plain))'"
        let spelled = names.count == 1 ? names[0] : "{\(names.joined(separator: ","))}"
        return "\(guardPart)\(spelled)'[\(escape(option.summary))]\(argument(option))'"
    }

    private static func takesNextWord(_ option: OptionSpec) -> Bool {
        if case .required = option.argument { return true }
        return false
    }

    /// `=` allows both the next word and the same word, `=-` the same word only.
    private static func suffix(_ option: OptionSpec) -> String {
        switch option.argument {
        case .none: ""
        case .required: "="
        case .optional: "=-"
        }
    }

    private static func argument(_ option: OptionSpec) -> String {
        switch option.argument {
        case .none: ""
        case .required(let metavar, let kind): ":\(metavar):\(action(kind))"
        case .optional(let metavar, let kind): "::\(metavar):\(action(kind))"
        }
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .choice(let words), .suggestion(let words): "(\(words.joined(separator: " ")))"
        case .file: "_files"
        case .directory: "_files -/"
        case .text, .count, .size, .duration: " "
        }
    }

    private static func operands(_ operands: [OperandSpec]) -> [String] {
        operands.enumerated().map { index, operand in
            let position = operand.isRepeatable ? "*" : String(index + 1)
            let colon = operand.isRequired || operand.isRepeatable ? ":" : "::"
            return "'\(position)\(colon)\(operand.name):\(action(operand.kind))'"
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
