import Glibc
import RealmEngine

/// Names that complete a command line: `--complete=class WORD WORDS...` prints the classes, with
/// `property` the properties, that may stand for the word behind the words. A first argument that no
/// help mentions, for completions; where anything is wrong, nothing is printed.
struct NameCompletion {
    private enum Subject: String {
        case className = "class"
        case property
    }

    private let subject: Subject
    /// What is there of the word already.
    private let word: String
    private var operands: [String] = []
    private var keyFile: String?

    /// Nil when the words ask for anything else.
    init?(_ words: ArraySlice<String>, _ table: CommandTable) {
        let prefix = "--complete="
        guard let first = words.first, first.hasPrefix(prefix),
            let subject = Subject(rawValue: String(first.dropFirst(prefix.count)))
        else { return nil }
        self.subject = subject
        word = Self.plain(words.dropFirst().first ?? "")
        scan(words.dropFirst(2).map(Self.plain), table)
    }

    /// Operands and the key among words that need not be a whole command.
    private mutating func scan(_ words: [String], _ table: CommandTable) {
        var rest = words[...]
        while let next = rest.popFirst() {
            if next == "--" {
                operands += rest
                return
            }
            guard next.hasPrefix("-"), next != "-" else {
                operands.append(next)
                continue
            }
            let (option, value) = Self.option(next, table)
            guard let option, case .required = option.argument else { continue }
            // bash takes --option=value apart.
            if value == nil, rest.first == "=" { rest.removeFirst() }
            let text = value ?? rest.popFirst()
            if option.name == SharedOptions.key.spec.name { keyFile = text }
        }
    }

    private static func option(
        _ word: String, _ table: CommandTable
    ) -> (OptionSpec?, value: String?) {
        if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (table.option(long: String(parts[0])), parts.count > 1 ? String(parts[1]) : nil)
        }
        // Of letters together the first with an argument takes the rest.
        for (position, letter) in word.dropFirst().enumerated() {
            guard let option = table.option(short: letter), case .required = option.argument else {
                continue
            }
            let rest = word.dropFirst(position + 2)
            return (option, rest.isEmpty ? nil : String(rest))
        }
        return (nil, nil)
    }

    /// A word without the quotes and backslashes of the shell, and with the home directory.
    private static func plain(_ word: String) -> String {
        var text = ""
        var isBehindBackslash = false
        for character in word {
            if !isBehindBackslash, character == "\\" {
                isBehindBackslash = true
                continue
            }
            if isBehindBackslash || (character != "'" && character != "\"") {
                text.append(character)
            }
            isBehindBackslash = false
        }
        guard text.hasPrefix("~/"), let home = Terminal.environment("HOME") else { return text }
        return home + text.dropFirst()
    }
}

// MARK: - Names

extension NameCompletion {
    /// A name a line.
    var text: String {
        guard let path = operands.first, path != "-", let database = database(path) else {
            return ""
        }
        switch subject {
        case .className:
            guard operands.count == 1 else { return "" }
            return lines(database.schema.classes.map(\.className), behind: "")
        case .property:
            let wanted = operands.dropFirst().first
            let classes = database.schema.classes.filter { wanted == nil || $0.className == wanted }
            let names = Set(classes.flatMap { $0.columns.map(\.name) })
            // fish hands over the option, too.
            var part = word[...]
            if part.hasPrefix("--"), let sign = part.firstIndex(of: "=") {
                part = part[part.index(after: sign)...]
            }
            let end = part.lastIndex { ",=".contains($0) }.map { part.index(after: $0) }
            var start = end ?? part.startIndex
            if part[start...].hasPrefix("-") { start = part.index(after: start) }
            return lines(names.ordered(by: <), behind: String(word[..<start]))
        }
    }

    private func lines(_ names: [String], behind prefix: String) -> String {
        let candidates = names.map { prefix + $0 }.filter { $0.hasPrefix(word) }
        // A name that is no line would be several.
        return candidates.filter { !$0.utf8.contains { $0 < 0x20 } }.map { $0 + "\n" }.joined()
    }

    private func database(_ path: String) -> Database? {
        guard Self.isPlainFile(path) else { return nil }
        guard let key = keyFile ?? Terminal.environment("REALM_ENCRYPTION_KEY_FILE") else {
            return try? Database(immutable: path, key: nil)
        }
        guard Self.isPlainFile(key), let file = try? KeyFile.read(key, warn: { _ in }) else {
            return nil
        }
        return try? Database(immutable: path, key: file.key)
    }

    /// Anything else might not answer, or take away what somebody else is to read.
    private static func isPlainFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
