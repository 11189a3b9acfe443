import Glibc
import RealmEngine

/// `realm-query`: reads anything, changes nothing.
enum QueryTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try QueryRequest(command)
        do throws(RealmError) {
            if request.directory != nil { return try DirectoryExport(request).run() }
            let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
            let reading = DatabaseReading(command)
            let code = try reading.read(
                restart: { () throws(RealmError) in try output.restart() }
            ) { (database) throws(RealmError) in
                try QueryAnswer(request, database, output).print()
            }
            try output.commit()
            return code
        } catch {
            throw error.kind == .misuse ? error : error.inFile(request.path)
        }
    }
}
