import RealmEngine
import ToolKit

/// `--diff`: prints the change records that convert one version or file to another.
struct ChangeDiff {
    let request: ChangeRequest
    /// The newest version of FILE.
    let database: Database
    let output: OutputFile

    func run() throws(RealmError) -> ExitCode {
        var from = request.request.command.version
        if let since = request.since { from = .number(since.version) }
        let this = try from.map { (choice) throws(RealmError) in try database.at(choice) }
        let records: ChangeRecords
        switch request.other {
        case .file(let path)?: records = try compare(this ?? database, file: path)
        case .version(let choice)?:
            records = try compare(
                this ?? database, choice == .newest ? database : try database.at(choice))
        case nil: preconditionFailure("a diff has another side")
        }
        try records.flush()
        if !request.request.command.isQuiet {
            if request.request.isCount { try printCounts(records) }
            if request.request.isStat { try printStatistics(records) }
        }
        return records.isEmpty ? .ok : .no
    }

    private func compare(_ this: Database, _ other: Database) throws(RealmError) -> ChangeRecords {
        let (old, new) = (this.snapshot(), other.snapshot())
        let activity = ActivityReporter(
            request.request.command, file: request.request.path, doing: "comparing")
        defer { activity.finish() }
        try request.check([new.schema, old.schema])
        let records = ChangeRecords(request, VerifiedOutput(output, [this, other]))
        try VersionChanges(request: request, records: records).append(from: old, to: new)
        return records
    }

    private func compare(_ this: Database, file path: String) throws(RealmError) -> ChangeRecords {
        let other = try DatabaseReading(
            request.request.command, path: path, isOneOfTwo: true
        ).open()
        if !this.isEncrypted, !other.isEncrypted, let key = try request.request.command.readKey() {
            // Throws the error that the key fits neither of the files.
            _ = try Database(immutable: this.path, key: key)
        }
        let records = ChangeRecords(request, VerifiedOutput(output, [this, other]))
        try FileComparison(records, from: this.snapshot(), to: other.snapshot()).run()
        return records
    }

    private func printCounts(_ records: ChangeRecords) throws(RealmError) {
        let report = report(records, ["inserts", "updates", "deletes"])
        try print(report, request.request.recordStyle(request.request.recordForm))
    }

    /// Prints the numbers of changes as a table, or in the format that the command requests.
    private func printStatistics(_ records: ChangeRecords) throws(RealmError) {
        var report = report(records, ["inserted", "updated", "deleted"])
        if report.rows.isEmpty { return }
        report.tableHeadings = report.names
        let form = request.request.format == nil ? TableForm.self : request.request.recordForm
        try print(report, request.request.recordStyle(form))
    }

    private func report(_ records: ChangeRecords, _ names: [String]) -> Report {
        var report = Report(
            names: ["class"] + names + ["schema"], isNumber: [false, true, true, true, true])
        let names = records.counts.keys.ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            let counts = records.counts[name]!
            report.rows.append([
                .text(name), .count(counts.inserts), .count(counts.updates),
                .count(counts.deletes), .count(counts.schema),
            ])
        }
        if records.hasVersionChange {
            report.rows.append([.null, .count(0), .count(0), .count(0), .count(1)])
        }
        return report
    }

    private func print(_ report: Report, _ style: RecordStyle) throws(RealmError) {
        var buffer = ByteBuffer()
        report.append(style, to: &buffer)
        try output.flush(&buffer)
    }
}
