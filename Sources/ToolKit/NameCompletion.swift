import Glibc
import RealmEngine

/// Completes class and property names for the shells. `--complete=class WORD WORDS...` prints the
/// classes that begin with WORD, where WORDS are the words of the command line before it;
/// `--complete=property` prints properties.
///
/// An undocumented first argument for completion scripts. Prints nothing if there is any error.
struct NameCompletion {
    private enum Subject: String {
        case className = "class"
        case property
    }

    private let subject: Subject
    /// Beginning of the name to complete.
    private let word: String
    private var operands: [String] = []
    private var keyFile: String?

    /// Returns nil if `words` are not a request for completion.
    init?(_ words: ArraySlice<String>, _ table: CommandTable) {
        let prefix = "--complete="
        guard let first = words.first, first.hasPrefix(prefix),
            let subject = Subject(rawValue: String(first.dropFirst(prefix.count)))
        else { return nil }
        self.subject = subject
        word = Self.plain(words.dropFirst().first ?? "")
        scan(words.dropFirst(2).map(Self.plain), table)
    }

    /// Finds the operands and the key file among the words of a command that may be incomplete.
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
            // bash splits --option=value into several words.
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
        // In a bundle of single-letter options, the first option with an argument takes the rest of
        // the word as its argument.
        for (position, letter) in word.dropFirst().enumerated() {
            guard let option = table.option(short: letter), case .required = option.argument else {
                continue
            }
            let rest = word.dropFirst(position + 2)
            return (option, rest.isEmpty ? nil : String(rest))
        }
        return (nil, nil)
    }

    /// Removes quotes and backslashes of the shell from a word and expands the home directory.
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
    /// The class or property names that begin with `word`, one per line.
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
            // fish passes an option and its argument as one word.
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
        // A name with a line break would be read as several names.
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

    /// Whether the path is a regular file. Other files are not read: reading a pipe could block, or
    /// consume data that another reader expects.
    private static func isPlainFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
