import Glibc
import RealmEngine

/// `realm-query`: reads anything, changes nothing.
enum QueryTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try QueryRequest(command)
        do throws(RealmError) {
            if request.directory != nil { return try DirectoryExport(request).run() }
            try request.checkOutput()
            let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
            let changes = try ChangeRequest(request)
            if let changes, changes.other == nil {
                return try ChangeWatch(changes, output).run()
            }
            let reading = DatabaseReading(command)
            let code = try reading.read(to: output, newest: changes != nil) {
                (database) throws(RealmError) in
                if let changes {
                    return try ChangeDiff(request: changes, database: database, output: output)
                        .run()
                }
                return try QueryAnswer(request, database, output).print()
            }
            try output.commit()
            return code
        } catch {
            // What went wrong with the output or the request is not about the database.
            let isOurs = error.kind == .misuse || error.kind == .output
            throw isOurs ? error : error.inFile(request.path)
        }
    }
}

extension QueryRequest {
    /// The database must not be replaced by what is printed from it.
    fileprivate func checkOutput() throws(RealmError) {
        var (source, target) = (stat(), stat())
        guard let output = command.outputPath, stat(output, &target) == 0,
            stat(path, &source) == 0, source.st_ino == target.st_ino,
            source.st_dev == target.st_dev
        else { return }
        throw .misuse(
            "--output would replace the database itself", code: "InvalidArgument",
            reason: "output-is-input")
    }
}
