import RealmEngine
import RealmRecords
import ToolKit

/// The input of a load, the class of its records, and the column names.
struct RecordSource {
    let input: RecordInput
    let className: String
    /// Names of the columns of CSV and TSV; empty for other formats.
    private let header: [String]

    /// Reads the header line of the input if the format is CSV or TSV.
    init(_ input: RecordInput, className: String) throws(RealmError) {
        self.input = input
        self.className = className
        header = try Self.header(input)
    }

    /// Returns a converter of the input's records to values of the classes in `plans`.
    func stage(_ plans: ClassPlans, _ request: WriteRequest) throws(RealmError) -> RecordStage {
        try RecordStage(plans, className: className, header: header, request)
    }

    /// Returns a converter for each thread of `RecordFeed`. Empty if records are converted later,
    /// when they are written.
    func conversions(
        _ schema: Schema, _ request: WriteRequest
    ) throws(RealmError) -> [RecordFeed.Conversion] {
        var conversions: [RecordFeed.Conversion] = []
        guard request.convertsAhead(className) else { return [] }
        for _ in 0..<max(1, RecordFeed.threads(request)) {
            let plans = try ClassPlans(schema, request)
            conversions.append(
                RecordFeed.Conversion(
                    stage: try stage(plans, request), table: try plans.table(named: className)))
        }
        return conversions
    }

    /// Prints notices about a guessed separator, and about columns without names.
    func printReadingNotices(_ request: WriteRequest) {
        let diagnostics = Diagnostics(request.command)
        let dialect = input.form.dialect
        if dialect.separator != request.form.dialect.separator {
            diagnostics.notice(
                "\(input.name): the header has no comma, fields are separated by "
                    + "\(dialect.separatorName); --delimiter sets the separator")
        }
        let fields = Set(request.renamed.map(\.field))
        let unnamed = FieldNames.unnamed(header).filter { !fields.contains($0) }
        if !unnamed.isEmpty {
            diagnostics.notice(
                "\(input.name): no name for column \(unnamed.joined(separator: ", ")), which is "
                    + "ignored; --map PROPERTY=\(unnamed[0]) reads it")
        }
    }

    private static func header(_ input: RecordInput) throws(RealmError) -> [String] {
        switch try input.readHeader() {
        case nil: return []
        case .record(let names): return names
        case .rejected(let error): throw error.realmError(file: input.name)
        case .end:
            throw RealmError(
                .data, code: RecordError.Code.invalidTable.rawValue, reason: "record",
                "the header is missing: the input is empty", file: input.name)
        }
    }
}
