import RealmEngine
import ToolKit

/// `realm-query`: reads databases without changing them.
package enum QueryTool {
    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        if let files = try QueryFiles(command) { return try files.run() }
        let request = try QueryRequest(command)
        guard command[QueryOption.sha256] else { return try run(request, command) }
        guard request.path != "-" else {
            throw .misuse("--sha256 needs a file, not -", code: "InvalidArgument")
        }
        let diagnostics = Diagnostics(command)
        diagnostics.digest(try FileDigest.sha256(path: request.path), request.path, "before")
        let code = try run(request, command)
        diagnostics.digest(try FileDigest.sha256(path: request.path), request.path, "after")
        return code
    }

    private static func run(
        _ request: QueryRequest, _ command: ParsedCommand
    ) throws(RealmError) -> ExitCode {
        do throws(RealmError) {
            if request.directory != nil { return try DirectoryExport(request).run() }
            try OutputFile.check(command.outputPath, against: request.path)
            let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
            let changes = try ChangeRequest(request)
            if let changes, changes.other == nil {
                return try ChangeWatch(changes, output).run()
            }
            let reading = DatabaseReading(command, isOneOfTwo: changes?.comparesFiles ?? false)
            let version: DatabaseReading.Version =
                request.use == .remnants ? .newestReadable : changes == nil ? .chosen : .newest
            let code = try reading.read(to: output, at: version) {
                (database) throws(RealmError) in
                request.values.losses.reset()
                if let changes {
                    return try ChangeDiff(request: changes, database: database, output: output)
                        .run()
                }
                if request.use == .remnants {
                    return try RemnantAnswer(request, database, output).print()
                }
                return try QueryAnswer(request, database, output).print()
            }
            try output.commit()
            request.values.losses.warn(Diagnostics(command))
            return code
        } catch {
            throw error.kind == .output ? error : error.inDatabase(request.path)
        }
    }
}

extension Diagnostics {
    /// Prints a line in the format of `sha256sum`, with the time at which the digest was computed.
    fileprivate func digest(_ digest: String, _ path: String, _ moment: String) {
        summary("\(digest)  \(path)  (\(moment))")
    }
}
