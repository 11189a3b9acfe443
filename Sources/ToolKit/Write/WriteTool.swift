import Glibc
import RealmEngine

/// `realm-write`: records in, commits out.
enum WriteTool {
    /// Runs a parsed command and returns its exit code.
    static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try WriteRequest(command)
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let code: ExitCode
        do throws(RealmError) {
            code = try write(request, output)
        } catch {
            let isOutside = error.kind == .misuse || error.kind == .data
            throw isOutside ? error : error.inFile(request.path)
        }
        try output.commit()
        return code
    }

    private static func write(
        _ request: WriteRequest, _ output: OutputFile
    ) throws(RealmError) -> ExitCode {
        let session = try open(request)
        guard case .records(let className, let path) = request.subject else { return .ok }
        let input = try RecordInput(path, request.format)
        let report = try LoadReport(
            request, input: path, version: session.database.version, output)
        Interruption.install()
        let load = try RecordLoad(request, className: className, session, input, report)
        return try load.run()
    }

    private static func open(_ request: WriteRequest) throws(RealmError) -> WriteSession {
        var options = WriteSession.Options()
        options.isDurable = request.isDurable
        options.creates = request.creates
        if !request.isDurable {
            Diagnostics(request.command).warn(
                "--durability unsafe: a power failure may cost the whole database")
        }
        return try WriteSession(path: request.path, options: options)
    }
}
