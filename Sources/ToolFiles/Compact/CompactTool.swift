import RealmEngine
import ToolKit

/// `realm-compact`: compacts, checks and rescues databases.
package enum CompactTool {
    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try CompactRequest(command)
        switch request.action {
        case .check: return try CheckRun(request).run()
        case .analyze: return try AnalyzeRun(request).run()
        case .estimate: return try EstimateRun(request).run()
        case .copy: return try CopyRun(request).run()
        case .inPlace: return try InPlaceRun(request).run()
        case .salvage: return try SalvageRun(request).run()
        }
    }
}

/// Opens the version selected by a command line.
struct CompactSource {
    let request: CompactRequest

    /// Calls `body` with the selected version. If a commit has changed the bytes that were read,
    /// calls it again.
    func read<R>(_ body: (Database) throws(RealmError) -> R) throws(RealmError) -> R {
        guard request.start == .newest else { return try readOlder(body) }
        return try DatabaseReading(request.command).read(to: nil) { (database) throws(RealmError) in
            let result = try body(database)
            if database.hasChanged { throw DatabaseChange.error }
            return result
        }
    }

    private func readOlder<R>(
        _ body: (Database) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        var retry = RetryPolicy(request.command.wait)
        repeat {
            let database = try older()
            do throws(RealmError) {
                let result = try body(database)
                if !database.hasChanged { return result }
            } catch {
                if !database.hasChanged { throw error }
            }
        } while retry.mayRepeat()
        throw DatabaseChange.error.inFile(request.path)
    }

    /// Opens an older version, even if the newest version is damaged. The version before the newest
    /// is checked first, because a commit may have overwritten parts of it.
    private func older() throws(RealmError) -> Database {
        if case .number = request.start {
            let reading = DatabaseReading(request.command)
            if let newest = try? reading.openNewest() { return try newest.at(request.start) }
        }
        let previous = try Database(
            previous: request.path, key: request.command.readKey())
        if case .number(let wanted) = request.start, previous.version != wanted {
            throw RealmError(
                .misuse, code: "BadVersion", reason: "version-gone",
                "version \(wanted) does not exist; the header also refers to version "
                    + "\(previous.version), which cannot be opened", file: request.path)
        }
        guard IntegrityCheck(previous).run().errorCount == 0 else {
            throw RealmError(
                .corrupt, code: "InvalidDatabase", reason: "previous",
                "version \(previous.version) is damaged too", file: request.path,
                hint: "--salvage copies what can be read")
        }
        return previous
    }
}
