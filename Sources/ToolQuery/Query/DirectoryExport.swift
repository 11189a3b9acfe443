import Glibc
import RealmEngine
import ToolKit

/// Exports each class to a file in a directory (`--output-dir`). In csv and tsv, each collection
/// property gets a file of its own, whose rows contain the keys of the objects that own the
/// elements.
struct DirectoryExport {
    private let request: QueryRequest
    private let directory: String
    private let form: any RecordForm.Type
    private let suffix: String

    init(_ request: QueryRequest) throws(RealmError) {
        self.request = request
        directory = request.directory ?? "."
        form = request.recordForm
        guard let suffix = form.fileSuffix else {
            let name =
                form.isLayout ? "tables for people" : form.format.rawValue
            throw .misuse(
                "--output-dir writes no \(name)", code: "InvalidArgument",
                hint: "csv, tsv, ndjson and json")
        }
        self.suffix = suffix
    }

    /// Writes all files and returns the exit code.
    func run() throws(RealmError) -> ExitCode {
        try makeDirectory()
        var made: Set<String> = []
        let reading = DatabaseReading(request.command)
        let code = try reading.read(to: nil) { (database) throws(RealmError) in
            request.values.losses.reset()
            let tables = request.exported(database.schema)
            let plans = try request.plans(tables, database.schema)
            let names = ExportNames(database.schema)
            let files = plans.flatMap { self.files($0, names) }
            if !request.command.mayReplaceOutput { try checkFree(files, made) }
            var records = 0
            for file in files {
                records += try write(file, database, isOurs: made.contains(file.name))
                made.insert(file.name)
            }
            return request.exitCode(records: records)
        }
        request.values.losses.warn(Diagnostics(request.command))
        return code
    }

    /// A file of the export: its name without the directory, and its content.
    private struct File {
        let name: String
        let plan: RecordPlan
    }

    private func write(
        _ file: File, _ database: Database, isOurs: Bool
    ) throws(RealmError) -> Int {
        let force = request.command.mayReplaceOutput || isOurs
        let output = try OutputFile(path: path(file), force: force)
        let export = Export(
            database: database, plans: [file.plan], values: request.values,
            records: request.recordStyle(form), threads: request.command.workers)
        let count = try export.run(VerifiedOutput(output, database))
        try output.commit()
        return count
    }

    private func path(_ file: File) -> String { directory + "/" + file.name }

    private func makeDirectory() throws(RealmError) {
        guard mkdir(directory, 0o777) != 0, errno != EEXIST else { return }
        throw systemFailure(.output, "cannot make the directory", errno: errno, file: directory)
    }

    /// Throws an error if one of the files already exists, before anything is written.
    private func checkFree(_ files: [File], _ made: Set<String>) throws(RealmError) {
        for file in files where !made.contains(file.name) {
            var status = stat()
            if lstat(path(file), &status) == 0 { throw OutputFile.Destination.exists(path(file)) }
        }
    }
}

// MARK: - Plans

extension DirectoryExport {
    private func files(_ plan: RecordPlan, _ names: ExportNames) -> [File] {
        let stem = names.stem(plan.table)
        guard form.cells.isDelimited else { return [File(name: stem + suffix, plan: plan)] }
        let (own, relations) = plan.split
        return [File(name: stem + suffix, plan: own)]
            + relations.map { column, plan in
                File(name: names.stem(plan.table, column: column) + suffix, plan: plan)
            }
    }
}

extension RecordPlan {
    /// Returns a plan for the properties that are not collections, and a plan for each collection
    /// property. The records of a collection property contain the key of the owner, the position or
    /// key of the element, and the value.
    fileprivate var split: (own: RecordPlan, relations: [(column: Int, plan: RecordPlan)]) {
        var own: [Field] = []
        var relations: [(column: Int, plan: RecordPlan)] = []
        for field in fields {
            guard case .column(let position) = field.path.source, field.path.steps.isEmpty,
                let kind = table.columns[columns[position]].collection
            else {
                own.append(field)
                continue
            }
            relations.append((columns[position], relation(field, kind)))
        }
        let plan = RecordPlan(
            table: table, fields: own, columns: columns, explode: nil, namesClass: namesClass)
        return (plan, relations)
    }

    private func relation(_ field: Field, _ kind: CollectionKind) -> RecordPlan {
        var columns = self.columns
        var owner = FieldPath.Source.key
        if let key = table.primaryKey {
            if !columns.contains(key) { columns.append(key) }
            owner = .column(columns.firstIndex(of: key) ?? 0)
        }
        func constituent(_ label: String, _ source: FieldPath.Source) -> Field {
            Field(
                label: label, path: FieldPath(source: source, steps: []), expansion: nil,
                isMixed: false, isNumber: false)
        }
        var fields = [constituent("owner", owner)]
        switch kind {
        case .list: fields.append(constituent("index", .elementIndex))
        case .dictionary: fields.append(constituent("key", .elementKey))
        case .set: break
        }
        fields.append(
            Field(
                label: "value", path: FieldPath(source: .element, steps: []),
                expansion: field.expansion,
                isMixed: table.columns[columnIndex(field)].type == .mixed,
                isNumber: field.isNumber))
        return RecordPlan(
            table: table, fields: fields, columns: columns, explode: field.path, namesClass: false)
    }

    private func columnIndex(_ field: Field) -> Int {
        guard case .column(let position) = field.path.source else { return 0 }
        return columns[position]
    }
}
