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
            code = try WriteRun(request, output).run()
        } catch {
            let isOutside = error.kind == .misuse || error.kind == .data
            throw isOutside ? error : error.inFile(request.path)
        }
        try output.commit()
        return code
    }
}

/// One command: the schema first, then records or a bulk change.
struct WriteRun {
    private let request: WriteRequest
    private let output: OutputFile

    init(_ request: WriteRequest, _ output: OutputFile) {
        self.request = request
        self.output = output
    }

    func run() throws(RealmError) -> ExitCode {
        // Whatever can be wrong before a file is made is found before.
        let file = try request.command.text("schema-file").map { path throws(RealmError) in
            try SchemaFile(path: path)
        }
        var input: RecordInput?
        if case .records(_, let path) = request.subject {
            input = try RecordInput(path, request.format)
        }
        if !request.isDurable {
            Diagnostics(request.command).warn(
                "--durability unsafe: a power failure may cost the whole database")
        }
        let target = try WriteTarget(request)
        Interruption.install()
        do throws(RealmError) {
            let code = try write(target.session, file, input)
            try target.finish()
            return code
        } catch {
            target.abandon()
            throw error
        }
    }

    private func write(
        _ session: WriteSession, _ file: SchemaFile?, _ input: RecordInput?
    ) throws(RealmError) -> ExitCode {
        let prepared = try editSchema(session, file)
        switch request.subject {
        case .schema:
            prepared?.rollback()
            return .ok
        case .bulk(let className):
            let bulk = BulkChange(request, className: className, session, output)
            let transaction: WriteTransaction
            if let prepared {
                transaction = prepared
            } else {
                transaction = try session.begin(request.patience)
            }
            return try bulk.run(transaction)
        case .records(let className, let path):
            let report = try LoadReport(
                request, input: path, version: session.database.version, output)
            let schema: Schema
            if let prepared {
                schema = try prepared.snapshot().schema
            } else {
                schema = session.database.schema
            }
            let load = try RecordLoad(
                request, className: className, session, schema, input!, report,
                prepared: prepared)
            return try load.run()
        }
    }

    /// Carries out schema options. The transaction stays open, and is returned, where what follows
    /// belongs to it: a single transaction, a rehearsal.
    private func editSchema(
        _ session: WriteSession, _ file: SchemaFile?
    ) throws(RealmError) -> WriteTransaction? {
        guard request.editsSchema else { return nil }
        let transaction = try session.begin(request.patience)
        do throws(RealmError) {
            let plan = try SchemaPlan(request, file, session.database.snapshot())
            if !request.isDryRun { try plan.checkLoss(isAllowed: request.mayLoseData) }
            try plan.apply(transaction)
            if request.isDryRun || (request.isSingle && !plan.isEmpty) {
                try report(plan)
                return transaction
            }
            if plan.isEmpty { transaction.rollback() } else { try transaction.commit() }
            try report(plan)
            return nil
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func report(_ plan: SchemaPlan) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 1024)
        if request.reportsJSON {
            plan.appendJSON(to: &buffer)
            return try output.flush(&buffer)
        }
        guard !plan.isEmpty || request.isDryRun else { return }
        plan.appendText(to: &buffer)
        if request.isDryRun { return try output.flush(&buffer) }
        for line in buffer.string.split(separator: "\n") {
            Diagnostics(request.command).summary(String(line))
        }
    }
}
