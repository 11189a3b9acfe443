import RealmEngine
import ToolKit

/// A command line of `realm-compact`. Everything that can be checked without the database is
/// checked.
struct CompactRequest {
    enum Action {
        case inPlace, copy, check, analyze, estimate, salvage
    }

    /// `--if-free`: minimum space to reclaim.
    enum Threshold: Sendable {
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
    /// Version to read: `--at`.
    let start: VersionChoice
    /// Suffix of the name of the backup; nil for no backup.
    let backup: String?
    let format: OutputFormat
    var options = Compactor.Options()

    var path: String { paths[0] }
    var mayReplace: Bool { command.mayReplaceOutput }

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        action = Self.action(command)
        paths = command.operands
        threshold = command[CompactOption.ifFree]
        start = command.version ?? .newest
        backup = command[CompactOption.backup]
        format = command.format
        options.verifies = !command[CompactOption.noVerify]
        options.keepsHistory = !command[CompactOption.dropHistory]
        options.enumeration = command[CompactOption.enumerate]
        options.maxMemory = max(8 << 20, command.maxMemory)
        options.format = command[CompactOption.toFormat].flatMap(DowngradeFormat.init)
        try check()
    }

    private static func action(_ command: ParsedCommand) -> Action {
        if command.isGiven(CompactOption.check) { return .check }
        if command[CompactOption.analyze] { return .analyze }
        if command[CompactOption.dryRun] { return .estimate }
        if command[CompactOption.salvage] { return .salvage }
        return command.isGiven(CompactOption.output) ? .copy : .inPlace
    }

    private func check() throws(RealmError) {
        if action != .check, paths.count > 1 {
            throw Self.usage("more than one FILE is only for --check")
        }
        if action != .check, path == "-" {
            throw Self.usage("only --check reads standard input")
        }
        if action == .inPlace, start != .newest {
            throw Self.usage(
                "--at needs -o, or a report: an older version cannot replace the file")
        }
        if action == .copy || action == .salvage, command.outputPath == nil {
            throw Self.usage("a database is not written to standard output")
        }
        if action == .check || action == .analyze { return }
        if let format = command[CompactOption.toFormat] { try check(format: format) }
        if command[CompactOption.local], action != .copy {
            throw Self.usage("--local needs -o: a synchronised file is not replaced")
        }
    }

    private func check(format: Int) throws(RealmError) {
        guard 20...24 ~= format else {
            throw RealmError(
                .incompatible, code: "IllegalOperation", reason: "unsupported-format",
                "--to-format: file format \(format) cannot be written; 20 to 24 can")
        }
        if format < 24, command[CompactOption.local] {
            throw Self.usage("--local writes file format 24")
        }
        if format < 24, options.enumeration != .none {
            throw Self.usage("--enumerate writes file format 24")
        }
    }

    static let backupSuffix = ".bak"

    /// Whether the command line contains a target format.
    var convertsFormat: Bool { command[CompactOption.toFormat] != nil }

    /// Whether the written file gets another format than `database`.
    func changesFormat(of database: Database) -> Bool {
        guard let format = command[CompactOption.toFormat], database.top != nil else {
            return false
        }
        return database.header.format != format
    }

    /// Returns the conversion that requires rebuilding the database object by object; nil if its
    /// nodes can be copied.
    func conversion(of database: Database) -> Salvage.Conversion? {
        if command[CompactOption.local] { return .local }
        guard changesFormat(of: database) else { return nil }
        if options.format?.hashesPrimaryKeys == true { return .hashedKeys }
        return database.header.format == 24 ? nil : .format
    }

    static func usage(_ message: String) -> RealmError {
        .misuse(message, code: "InvalidArgument", hint: "realm-compact -h shows the usage")
    }

    /// Returns the encryption key of the file to be written; nil if the file is not to be
    /// encrypted.
    ///
    /// - Parameter key: key of the file to be read; nil if that file is not encrypted.
    func outputKey(_ key: EncryptionKey?) throws(RealmError) -> EncryptionKey? {
        if command[CompactOption.decrypt] { return nil }
        return try command.readNewKey() ?? key
    }

    /// Whether the command line requests another encryption key for the written file, or no
    /// encryption.
    var changesKey: Bool {
        command.isAnyGiven([CompactOption.newKey, CompactOption.decrypt])
    }
}
