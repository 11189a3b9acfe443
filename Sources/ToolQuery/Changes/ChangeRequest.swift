import RealmEngine
import ToolKit

/// A command line with `--diff` or `--watch`. Everything that can be checked without the database
/// is checked.
struct ChangeRequest {
    enum Other: Sendable {
        case file(String)
        case version(VersionChoice)
    }

    let request: QueryRequest
    /// Target of `--diff`; nil for `--watch`.
    let other: Other?
    /// Class to compare; nil for all classes.
    let className: String?
    let since: StreamPosition?
    let showsBefore: Bool
    let isInitial: Bool
    let heartbeat: Duration?
    /// Properties of `--fields`; nil for all properties.
    let properties: Set<String>?

    /// Whether FILE is compared with another file.
    var comparesFiles: Bool {
        if case .file? = other { return true }
        return false
    }

    /// Returns nil if the command has neither `--diff` (or `--since`) nor `--watch`.
    init?(_ request: QueryRequest) throws(RealmError) {
        let command = request.command
        guard request.use == .watch || request.use == .diff else { return nil }
        self.request = request
        showsBefore = command[QueryOption.before]
        isInitial = command[QueryOption.initial]
        heartbeat = command[QueryOption.heartbeat]
        since = command[QueryOption.since]
        className = command.operand(1)
        // Without a target, `--diff` compares with the newest version.
        other = request.use == .watch ? nil : command[QueryOption.diff] ?? .version(.newest)
        properties = try Self.properties(request.fields)
        try checkApplicable()
    }

    private static func properties(_ fields: FieldRequest) throws(RealmError) -> Set<String>? {
        guard let list = fields.fields else { return nil }
        if let field = list.first(where: { $0.label != nil || $0.path.contains(".") }) {
            throw .misuse(
                "--fields: '\(field.path)' cannot have another name in change records",
                code: "InvalidArgument", reason: "unsuitable-property")
        }
        return Set(list.map(\.path))
    }

    private func checkApplicable() throws(RealmError) {
        let command = request.command
        if other != nil, since != nil, command.isAnyGiven([QueryOption.at, QueryOption.diff]) {
            throw .misuse("--since without --watch already prints a diff", code: "InvalidArgument")
        }
        switch request.format {
        case nil: return
        case .json where command.wantsJSONErrors: return
        case let format?:
            if ChangeForms.form(format) != nil { return }
            let printsReport = RecordForms.form(format)?.printsReports ?? false
            if printsReport, request.isCount || request.isStat { return }
        }
        let what = other == nil ? QueryOption.watch.spelling : QueryOption.diff.spelling
        throw .misuse("\(what) prints ndjson only", code: "InvalidArgument")
    }

    /// Returns the requested classes that exist in the schema, in the order of their names.
    func tables(_ schema: Schema) -> [TableInfo] {
        let all = request.exported(schema)
        guard let className else { return all }
        return all.filter { $0.className == className }
    }

    /// Throws `misuse` if no schema has the requested class, or if the class is embedded.
    func check(_ schemas: [Schema]) throws(RealmError) {
        guard let className else { return }
        if schemas.contains(where: { !tables($0).isEmpty }) { return }
        let table = try request.table(className, schemas[0])
        throw .misuse(
            "class \(table.className) is embedded: changes of its objects are changes of their "
                + "parents",
            code: "IllegalOperation", reason: "embedded")
    }

    /// Part of the schemas to compare: the class and the properties that the command names.
    var scope: SchemaDifference.Scope {
        SchemaDifference.Scope(className: className) { shows(propertyNamed: $0) }
    }

    /// Whether records contain the property.
    func shows(_ column: ColumnInfo) -> Bool {
        shows(propertyNamed: column.name) && !request.values.omits(column)
    }

    func shows(propertyNamed name: String) -> Bool {
        if let properties, !properties.contains(name) { return false }
        return !request.fields.excluded.contains(name)
    }
}
