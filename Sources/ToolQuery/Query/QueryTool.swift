import RealmEngine
import ToolKit

/// `realm-query`: reads anything, changes nothing.
package enum QueryTool {
    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        if let files = try QueryFiles(command) { return try files.run() }
        let request = try QueryRequest(command)
        do throws(RealmError) {
            if request.directory != nil { return try DirectoryExport(request).run() }
            try OutputFile.check(command.outputPath, against: request.path)
            let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
            let changes = try ChangeRequest(request)
            if let changes, changes.other == nil {
                return try ChangeWatch(changes, output).run()
            }
            let reading = DatabaseReading(command, isOneOfTwo: changes?.comparesFiles ?? false)
            let code = try reading.read(to: output, newest: changes != nil) {
                (database) throws(RealmError) in
                request.values.losses.reset()
                if let changes {
                    return try ChangeDiff(request: changes, database: database, output: output)
                        .run()
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
