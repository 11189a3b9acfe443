import RealmEngine
import ToolKit

/// What a `realm-compact` command line asks for, checked as far as that goes without the database.
struct CompactRequest {
    enum Action {
        case inPlace, copy, check, analyze, estimate, salvage
    }

    /// `--if-free`: what is too little.
    enum Threshold {
        case percent(Int)
        case bytes(Int)

        func isMet(reclaimable: Int, of size: Int) -> Bool {
            switch self {
            case .percent(let percent):
                Double(reclaimable) * 100 >= Double(size) * Double(percent)
            case .bytes(let bytes): reclaimable >= bytes
            }
        }
    }

    let command: ParsedCommand
    let action: Action
    let paths: [String]
    let threshold: Threshold?
    /// `--at`.
    let start: VersionChoice
    /// Suffix of the backup; nil for none.
    let backup: String?
    let format: OutputFormat
    var options = Compactor.Options()

    var path: String { paths[0] }
    var mayReplace: Bool { command.mayReplaceOutput }

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        action = Self.action(command)
        paths = command.operands
        threshold = try command.text("if-free").map { text throws(RealmError) in
            try Self.threshold(text)
        }
        start = try command.version ?? .newest
        let backup = command.flag("backup") ? command.text("backup") ?? ".bak" : nil
        self.backup = backup
        options.verifies = !command.flag("no-verify")
        format = command.format
        options.keepsHistory = !command.flag("drop-history")
        options.enumeration =
            try command.text("enumerate").map { text throws(RealmError) in
                try Self.enumeration(text)
            } ?? .none
        options.maxMemory = max(8 << 20, command.maxMemory)
        try check()
    }

    private static func action(_ command: ParsedCommand) -> Action {
        if command.flag("check") { return .check }
        if command.flag("analyze") { return .analyze }
        if command.flag("dry-run") { return .estimate }
        if command.flag("salvage") { return .salvage }
        return command.flag("output") ? .copy : .inPlace
    }

    private func check() throws(RealmError) {
        if action != .check, paths.count > 1 {
            throw Self.usage("more than one FILE is only for --check")
        }
        if action != .check, path == "-" {
            throw Self.usage("standard input is only for --check")
        }
        if action == .inPlace, start != .newest {
            throw Self.usage("--at needs -o, or a report: an older version replaces no file")
        }
        if action == .copy || action == .salvage, command.outputPath == nil {
            throw Self.usage("a database is not written to standard output")
        }
        if let backup, backup.isEmpty || backup.utf8.contains(UInt8(ascii: "/")) {
            throw Self.usage("--backup: '\(backup)' is no suffix")
        }
        if action == .check || action == .analyze { return }
        if let format = command.count("to-format"), format != 24 {
            throw Self.notYet("--to-format: file format \(format) cannot be written yet")
        }
    }

    private static func threshold(_ text: String) throws(RealmError) -> Threshold {
        if text.hasSuffix("%"), let percent = ValueForms.count(String(text.dropLast())),
            (0...100).contains(percent)
        {
            return .percent(percent)
        }
        if let bytes = ValueForms.size(text) { return .bytes(bytes) }
        throw usage("--if-free: '\(text)' is neither a share (30%) nor a size (100MiB)")
    }

    /// `--enumerate`: a share, `auto`, or properties.
    private static func enumeration(_ text: String) throws(RealmError) -> Enumeration {
        if text == "auto" { return .smaller }
        if let percent = ValueForms.count(text) {
            guard (1...100).contains(percent) else {
                throw usage("--enumerate: '\(text)' is no percentage from 1 to 100")
            }
            return .below(percent: percent)
        }
        var properties: [Enumeration.Property] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw usage("--enumerate: '\(name)' is neither a percentage, auto nor CLASS.PROP")
            }
            properties.append(
                Enumeration.Property(className: String(parts[0]), name: String(parts[1])))
        }
        return .properties(properties)
    }

    static func usage(_ message: String) -> RealmError {
        .misuse(message, code: "InvalidArgument", hint: "realm-compact -h shows the usage")
    }

    /// The key that what is made of a database with `key` gets; nil for a plain file.
    func outputKey(_ key: EncryptionKey?) throws(RealmError) -> EncryptionKey? {
        if command.flag("decrypt") { return nil }
        return try command.readNewKey() ?? key
    }

    /// What is made has another key, or none where the original has one.
    var changesKey: Bool { command.flag("new-encryption-key-file") || command.flag("decrypt") }

    private static func notYet(_ message: String) -> RealmError {
        RealmError(.incompatible, code: "IllegalOperation", reason: "not-yet", message)
    }
}
