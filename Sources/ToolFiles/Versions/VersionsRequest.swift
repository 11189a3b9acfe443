import RealmEngine
import ToolKit

/// A `realm-versions` command line.
struct VersionsRequest {
    let command: ParsedCommand
    let paths: [String]
    let keys: [FactKey]
    let expectations: [Expectation]
    let format: OutputFormat

    var looksForOpeners: Bool { !command[VersionsOption.noOpeners] }
    var showsSlots: Bool { command[VersionsOption.slots] }
    var showsGrowth: Bool { command[VersionsOption.growth] }
    var mapPath: String? { command[VersionsOption.spaceMap] }
    var plotPath: String? { command[VersionsOption.plot] }
    var isWatch: Bool { command.isGiven(VersionsOption.watch) }

    var showsHistory: Bool { command.isGiven(VersionsOption.history) }

    init(_ command: ParsedCommand) throws(RealmError) {
        self.command = command
        paths = command.operands
        keys = command[VersionsOption.get]
        expectations = command[VersionsOption.expect]
        format = command[VersionsOption.list] && command.format == .auto ? .table : command.format
        try check()
    }

    private func check() throws(RealmError) {
        if !keys.isEmpty, format != .auto {
            throw Self.clash("--get prints values alone: it cannot be used with --format")
        }
        if paths.count > 1 {
            if mapPath != nil { throw Self.singleValueError(VersionsOption.spaceMap) }
            if showsHistory { throw Self.singleValueError(VersionsOption.history) }
        }
        if isWatch, format != .auto, format != .ndjson, format != .json {
            throw Self.clash("--watch prints ndjson")
        }
        if format == .table, showsSlots || showsGrowth {
            throw Self.clash("--format table has one row for each file")
        }
        let isDrawing = plotPath != nil && !isWatch
        if isDrawing, paths != ["-"] {
            throw Self.clash(
                "--plot needs --watch, or - for FILE to draw what an earlier --watch printed")
        }
        if isDrawing, !expectations.isEmpty || format != .auto {
            throw Self.clash("--plot of an earlier --watch prints nothing else")
        }
        if !isDrawing, paths.contains("-") {
            throw Self.clash("FILE cannot be -: the report is about the file itself")
        }
    }

    private static func singleValueError(_ option: some OptionDeclaration) -> RealmError {
        clash("\(option.spec.spelling) takes one FILE")
    }

    private static func clash(_ message: String) -> RealmError {
        .misuse(message, code: "InvalidArgument")
    }

    /// Whether the command prints a report of each file. `--get` replaces the report. `--expect`
    /// and `--space-map` replace it, too, unless an option such as `--format` requests the report.
    var wantsReport: Bool {
        keys.isEmpty
            && (format != .auto || showsSlots || showsGrowth
                || (expectations.isEmpty && mapPath == nil))
    }

    /// Throws an error if an output would overwrite an input.
    func checkOutputs() throws(RealmError) {
        for target in [mapPath, plotPath, command.outputPath] {
            for path in paths { try OutputFile.check(target, against: path) }
        }
    }
}
