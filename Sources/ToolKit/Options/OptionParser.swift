import RealmEngine
import RealmRecords

/// Parses the command line, without the tool's name, to a `ParsedCommand`. Throws an error that
/// explains the mistake.
///
/// Accepts `--option=VALUE`, `--option VALUE`, `-o VALUE`, `-oVALUE`, bundled letters (`-cL5`), and
/// `-w=VALUE` if the value is optional. `--` ends the options. Options may follow operands unless
/// `POSIXLY_CORRECT` is set.
///
/// Long options cannot be abbreviated. Otherwise a script with `--field` could change its meaning
/// when another option is added. (Section "Options" of realm-tools(7).)
package struct OptionParser {
    private let table: CommandTable
    private var rest: ArraySlice<String>
    private var parsed: ParsedCommand
    private var onlyOperands = false

    /// Parses `arguments`, the words after the tool's name.
    ///
    /// - Parameter posixlyCorrect: whether the first operand ends the options.
    /// - Throws: `misuse` for anything that the table does not permit.
    package static func parse(
        _ table: CommandTable, _ arguments: ArraySlice<String>, posixlyCorrect: Bool = false
    ) throws(RealmError) -> ParsedCommand {
        var parser = OptionParser(
            table: table, rest: arguments, parsed: ParsedCommand(table))
        try parser.run(posixlyCorrect)
        return parser.parsed
    }

    private init(table: CommandTable, rest: ArraySlice<String>, parsed: ParsedCommand) {
        self.table = table
        self.rest = rest
        self.parsed = parsed
    }

    private mutating func run(_ posixlyCorrect: Bool) throws(RealmError) {
        while let word = rest.popFirst() {
            if onlyOperands || word == "-" || word.utf8.first != UInt8(ascii: "-") {
                try operand(word)
                if posixlyCorrect { onlyOperands = true }
            } else if word == "--" {
                onlyOperands = true
            } else if word.utf8.starts(with: "--".utf8) {
                if try long(word) { return }
            } else if try bundle(word) {
                return
            }
        }
        try checkOperands()
        try checkRelations()
    }

    /// Parses `--name` or `--name=VALUE`. Returns true if no further words are to be parsed, as
    /// after `--help`.
    private mutating func long(_ word: String) throws(RealmError) -> Bool {
        let body = Substring(word.utf8.dropFirst(2))
        let equals = body.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = String(body[..<(equals ?? body.endIndex)])
        guard let option = table.option(long: name) else {
            throw unknown("--" + name)
        }
        let attached = equals.map { String(Substring(body.utf8[$0...].dropFirst())) }
        switch option.argument {
        case .none:
            if attached != nil { throw usage("\(option.spelling) takes no argument") }
            parsed.add(option, nil)
        case .required:
            try add(option, attached ?? rest.popFirst())
        case .optional:
            if let attached { try add(option, attached) } else { parsed.add(option, nil) }
        }
        return option.endsParsing
    }

    /// Parses `-c`, `-cL5`, `-L 5` or `-w=1s`. Returns true if no further words are to be parsed.
    private mutating func bundle(_ word: String) throws(RealmError) -> Bool {
        var letters = Substring(word.utf8.dropFirst())
        while let scalar = letters.unicodeScalars.popFirst() {
            guard let option = table.option(short: Character(scalar)) else {
                throw unknown("-" + String(Character(scalar)), in: word)
            }
            // After a letter, `=` can only precede the argument.
            let attached = letters.hasPrefix("=") ? String(letters.dropFirst()) : nil
            switch option.argument {
            case .none:
                if attached != nil { throw usage("\(option.spelling) takes no argument") }
                parsed.add(option, nil)
            case .optional:
                if let attached {
                    try add(option, attached)
                    return option.endsParsing
                }
                parsed.add(option, nil)
            case .required:
                let value = letters.isEmpty ? rest.popFirst() : String(letters)
                try add(option, value)
                return option.endsParsing
            }
            if option.endsParsing { return true }
        }
        return false
    }

    private mutating func add(_ option: OptionSpec, _ value: String?) throws(RealmError) {
        guard let value else {
            throw usage("\(option.spelling) needs an argument, \(option.metavar ?? "")")
        }
        do throws(OptionValueError) { try option.check(value) } catch {
            throw usage(
                "\(option.spelling): \(error.message)", reason: error.reason,
                hint: error.hint ?? error.near.map { "did you mean \(option.spelling) \($0)?" })
        }
        parsed.add(option, value)
    }

    private mutating func operand(_ word: String) throws(RealmError) {
        let index = parsed.operands.count
        let spec: OperandSpec
        if index < table.operands.count {
            spec = table.operands[index]
        } else if let last = table.operands.last, last.isRepeatable {
            spec = last
        } else {
            throw usage("unexpected operand '\(word)'")
        }
        if let objection = spec.kind.objection(to: word) {
            throw usage(
                "\(spec.name): \(objection.message)", reason: "bad-value",
                hint: objection.near.map { "did you mean \($0)?" })
        }
        parsed.add(operand: word)
    }

    private func checkOperands() throws(RealmError) {
        let missing = table.operands.dropFirst(parsed.operands.count).first { $0.isRequired }
        if let missing { throw usage("missing operand \(missing.name)") }
    }

    private func checkRelations() throws(RealmError) {
        for option in table.options where parsed.isGiven(option) {
            let excluded = option.excludes
            let others = table.options.filter { excluded.contains($0.name) }
            if let other = others.first(where: parsed.isGiven) {
                throw usage("\(option.spelling) and \(other.spelling) exclude each other")
            }
            let conditions = option.needs
            let needed = table.options.filter { conditions.contains($0.name) }
            if !needed.isEmpty, !needed.contains(where: parsed.isGiven) {
                let spellings = needed.map(\.spelling).joined(separator: " or ")
                throw usage("\(option.spelling) needs \(spellings)")
            }
        }
    }

    /// The error for an unknown option, with the most similar option as a hint.
    private func unknown(_ spelling: String, in word: String? = nil) -> RealmError {
        let longs = table.options.compactMap { $0.long.map { "--" + $0 } }
        let near: String?
        if let word {
            let other = table.options.first {
                $0.short.map { "-" + String($0).lowercased() == spelling.lowercased() } ?? false
            }
            near =
                longs.contains("-" + word)
                ? "-" + word
                : other?.short.map { "-" + String($0) }
                    // A single letter has no similar options.
                    ?? (word.count > 2 ? Spelling.nearest(to: "-" + word, among: longs) : nil)
        } else {
            near = Spelling.nearest(to: spelling, among: longs)
        }
        return usage(
            "unknown option \(spelling)", reason: "unknown-option",
            hint: near.map { "the nearest option is \($0); \(table.name) -h lists them all" }
                ?? "\(table.name) -h lists the options")
    }

    private func usage(
        _ message: String, reason: String = "usage", hint: String? = nil
    ) -> RealmError {
        .misuse(
            message, code: "InvalidArgument", reason: reason,
            hint: hint ?? "\(table.name) -h shows the usage")
    }
}
