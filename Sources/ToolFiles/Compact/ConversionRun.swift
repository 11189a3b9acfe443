import Glibc
import RealmEngine
import ToolKit

/// `--to-format`, `--local`: rebuilds a database in another format, or as a local database without
/// Device Sync.
struct ConversionRun {
    private let request: CompactRequest
    private let conversion: Salvage.Conversion
    private let target: String

    /// - Parameter target: name of the new file.
    init(_ request: CompactRequest, _ conversion: Salvage.Conversion, _ target: String) {
        (self.request, self.conversion, self.target) = (request, conversion, target)
    }

    /// Writes the converted content of `database` and gives the new file its final name.
    func write(
        _ database: Database, _ output: CompactOutput, _ account: CompactAccount
    ) throws(RealmError) -> ExitCode {
        if conversion != .local, database.top?.historyType ?? 0 > 2 {
            throw CompactAccount.syncedFormat
        }
        try make(database, output, request.options)
        if database.hasChanged { throw DatabaseChange.error }
        try output.publish()
        return try account.report(output.result!, database, output: target)
    }

    /// Writes the converted content of `database` and compares it with the original.
    func make(
        _ database: Database, _ output: CompactOutput, _ options: Compactor.Options
    ) throws(RealmError) {
        if database.header.format == 24 { try options.format?.check(database.snapshot()) }
        let passing = try TemporaryDirectory(in: directory(of: target), for: target)
        let diagnostics = Diagnostics(request.command)
        var incomplete: Set<String> = []
        let key = database.encryptionKey
        let meter = ProgressCounter()
        let activity = ActivityReporter(
            request.command, file: request.path, doing: "converting", meter: meter)
        defer { activity.finish() }
        _ = try Salvage.convert(
            database.snapshot(), to: conversion, at: passing.database,
            spillingInto: Terminal.temporaryDirectory, maxMemory: request.options.maxMemory,
            key: key, meter: meter
        ) { (loss) throws(RealmError) in
            if let name = loss.propertyClass { incomplete.insert(name) }
            diagnostics.warn("\(request.path): left out: \(loss.sentence)")
        }
        activity.finish()
        let made = try Database(immutable: passing.database, key: key)
        if request.options.verifies {
            try compare(database, made, except: incomplete)
        }
        var options = options
        options.keepsHistory = false
        try output.write(made, options)
    }

    /// Throws an error if the databases differ. The error is `corrupt` if the original has errors
    /// that explain the difference.
    private func compare(
        _ original: Database, _ made: Database, except incomplete: Set<String>
    ) throws(RealmError) {
        do throws(RealmError) {
            try DigestComparison(request.command.workers)
                .run(original, made, except: incomplete, path: request.path)
        } catch {
            guard error.kind == .internal, IntegrityCheck(original).run().errorCount > 0 else {
                throw error
            }
            throw .corrupt("its content is contradictory", in: "file, which is not converted")
        }
    }
}

extension SalvageLoss {
    /// Name of the class whose property could not be converted; nil for other kinds of loss.
    fileprivate var propertyClass: String? {
        if case .property(let name, _, _) = self { return name }
        return nil
    }

    /// Description of the loss, for messages.
    fileprivate var sentence: String {
        switch self {
        case .property(let name, let property, let why): "\(name).\(property): \(why)"
        case .objects(let name, let count, let why):
            "\(name)\(count.map { ", \($0) objects" } ?? ""): \(why)"
        default: why
        }
    }
}
