import Glibc
import RealmEngine
import ToolKit

/// `realm-write`: writes records to a database.
package enum WriteTool {
    /// Runs a parsed command and returns its exit code.
    package static func run(_ command: ParsedCommand) throws(RealmError) -> ExitCode {
        let request = try WriteRequest(command)
        let output = try OutputFile(path: command.outputPath, force: command.mayReplaceOutput)
        let code: ExitCode
        do throws(RealmError) {
            var run = WriteRun(request, output)
            code = try run.run()
        } catch {
            throw error.kind == .data ? error : error.inDatabase(request.path)
        }
        try output.commit()
        return code
    }
}

/// Executes one command: changes the schema first, then writes records or changes objects.
struct WriteRun {
    private var request: WriteRequest
    private let output: OutputFile

    init(_ request: WriteRequest, _ output: OutputFile) {
        self.request = request
        self.output = output
    }

    mutating func run() throws(RealmError) -> ExitCode {
        // Mistakes that can be found without a database are reported before a file is created.
        let file = try request.command[WriteOption.schemaFile].map { path throws(RealmError) in
            try SchemaFile(path: path)
        }
        var input: RecordInput?
        var inference: SchemaInference?
        if case .records(let className, let path) = request.subject {
            if let most = request.command[WriteOption.infer] {
                (input, inference) = try infer(className, path, most: most)
                request.numbersAsText = inference?.numbersAsText ?? []
            } else {
                input = try RecordInput(path, request.form)
            }
        }
        if !request.isDurable {
            Diagnostics(request.command).warn(
                "--durability unsafe: a power failure may destroy the whole database")
        }
        if inference == nil { Interruption.install() }
        let target = try Interruption.atOnce { () throws(RealmError) in try WriteTarget(request) }
        do throws(RealmError) {
            let code = try write(target, file, inference, input)
            try target.finish()
            return code
        } catch {
            target.abandon()
            throw error
        }
    }

    /// Reads the records once to infer their schema. They are read again when they are written.
    private func infer(
        _ className: String, _ path: String, most: Int
    ) throws(RealmError) -> (RecordInput, SchemaInference) {
        Interruption.install()
        let isConfidential = request.command.namesKey
        let spool = try Interruption.atOnce { () throws(RealmError) in
            try InputSpool(path, isConfidential: isConfidential)
        }
        var inference = SchemaInference(request, className: className)
        try inference.read(
            try RecordInput(spool, request.form, again: false), most: most)
        return (try RecordInput(spool, request.form, again: true), inference)
    }

    private func write(
        _ target: WriteTarget, _ file: SchemaFile?, _ inference: SchemaInference?,
        _ input: RecordInput?
    ) throws(RealmError) -> ExitCode {
        let session = target.session
        let prepared = try editSchema(session, file, inference)
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
                transaction = try request.begin(session)
            }
            return try bulk.run(transaction)
        case .records(let className, let path):
            let report = try LoadReport(request, input: path, output, target)
            let schema: Schema
            if let prepared {
                schema = try prepared.snapshot().schema
            } else {
                schema = session.database.schema
            }
            let isTable = request.format == .csv || request.format == .tsv
            if isTable, let relation = RelationLoad.Relation(className, schema) {
                return try fill(relation, session, schema, input!, report, prepared)
            }
            // Only one commit may be pending at a time in a dry run, in a single transaction, and
            // with `--resume`, which stores the position of each commit.
            let isOne = request.isSingle || request.isDryRun || request.resumes
            let step: any CommitStep =
                isOne || !Threads.canStart
                ? DirectCommits(session, request)
                : GroupedCommits(try AsyncWriter(session, request), request)
            let load = try RecordLoad(
                request, className: className, session, schema, input!, report,
                prepared: prepared, step: step)
            return try load.run()
        }
    }

    private func fill(
        _ relation: RelationLoad.Relation, _ session: WriteSession, _ schema: Schema,
        _ input: RecordInput, _ report: LoadReport, _ prepared: WriteTransaction?
    ) throws(RealmError) -> ExitCode {
        guard request.mode != .delete, !request.skipsErrors, request.skipped == 0 else {
            throw WriteRequest.usage(
                "a table of one collection is written whole: --mode delete, --on-error skip and "
                    + "--skip-records cannot be used with it")
        }
        let transaction: WriteTransaction
        if let prepared {
            transaction = prepared
        } else {
            transaction = try request.begin(session)
        }
        let load = try RelationLoad(
            request, relation, session, schema, input, report, transaction)
        return try load.run()
    }

    /// Changes the schema as options request. Returns the open transaction if the records are
    /// written in it (a single transaction or a dry run). Otherwise commits it and returns nil.
    private func editSchema(
        _ session: WriteSession, _ file: SchemaFile?, _ inference: SchemaInference?
    ) throws(RealmError) -> WriteTransaction? {
        guard request.editsSchema else { return nil }
        let transaction = try request.begin(session)
        do throws(RealmError) {
            let asked = try SchemaRequest(
                request, file, inference, session.database.snapshot())
            let plan = asked.plan
            try show(asked.inferred)
            for note in asked.notes { Diagnostics(request.command).notice(note) }
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

    /// Prints the classes that `--infer` found to be missing. With `--json`, prints them as a
    /// schema file.
    private func show(_ classes: [ClassSpec]) throws(RealmError) {
        if classes.isEmpty { return }
        if !request.reportsJSON {
            for line in classes.map(\.text).joined(separator: "\n").split(separator: "\n") {
                Diagnostics(request.command).summary(String(line))
            }
            return
        }
        var buffer = ByteBuffer(capacity: 1024)
        JSONItem.object([("schemaVersion", .null), ("classes", .list(classes.map(\.json)))])
            .appendLine(to: &buffer)
        try output.flush(&buffer)
    }

    private func report(_ plan: SchemaPlan) throws(RealmError) {
        var buffer = ByteBuffer(capacity: 1024)
        if request.reportsJSON {
            plan.append(.json, to: &buffer)
            return try output.flush(&buffer)
        }
        guard !plan.isEmpty || request.isDryRun else { return }
        plan.append(.text, to: &buffer)
        if request.isDryRun { return try output.flush(&buffer) }
        for line in buffer.string.split(separator: "\n") {
            Diagnostics(request.command).summary(String(line))
        }
    }
}
