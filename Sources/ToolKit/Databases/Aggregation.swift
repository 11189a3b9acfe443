import RealmEngine

/// `--aggregate`: counts, sums, averages and extremes of some properties, as a list names them and as
/// they are printed.
package final class Aggregation {
    private static let reductions: [String: QueryReduction] = [
        "sum": .sum, "avg": .average, "min": .min, "max": .max,
    ]

    private(set) var labels: [String] = []
    private(set) var terms: [AggregateTerm] = []
    /// The results, in the order of the list.
    package private(set) var results: [Value] = []

    /// Parses the list and checks it against the class.
    package init(_ list: String, _ table: TableInfo) throws(RealmError) {
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            labels.append(String(item))
            terms.append(try Self.term(String(item), table))
        }
    }

    private static func term(
        _ text: String, _ table: TableInfo
    ) throws(RealmError) -> AggregateTerm {
        if text == "count" { return .count }
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
            let reduction = reductions[String(text[..<open])]
        else {
            throw .misuse(
                "--aggregate: '\(text)' is none of count, sum(P), avg(P), min(P), max(P)",
                code: "InvalidArgument", reason: "bad-value")
        }
        let name = String(text[text.index(after: open)...].dropLast())
        guard let index = table.columnIndex(named: name) else {
            let near = Spelling.nearest(3, to: name, among: table.columns.map(\.name))
            throw .misuse(
                "--aggregate: \(table.className) has no property \(name)", code: "InvalidArgument",
                reason: "unknown-property",
                hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
        }
        guard let term = AggregateTerm(reduction, of: index, in: table) else {
            throw .misuse(
                "--aggregate: \(text[..<open]) of \(name), which holds "
                    + table.columns[index].type.name,
                code: "InvalidArgument", reason: "bad-value")
        }
        return term
    }

    /// Whether what stands in each column of a table is surely a number.
    var areNumbers: [Bool] { terms.map { $0.reduction != .min && $0.reduction != .max } }

    /// Computes over the objects of a plan; returns how many there were.
    package func run(_ plan: QueryPlan, _ snapshot: Snapshot) throws(RealmError) -> Int {
        let (count, values) = try plan.aggregates(terms, in: snapshot)
        results = values
        return count
    }

    /// Appends the one record.
    package func append(_ style: RecordStyle, _ values: ValueStyle, to out: inout ByteBuffer) {
        var style = style
        // One record needs no array around it.
        if style.format == .json { style.format = .ndjson }
        let cells = results.map(Self.cell)
        var report = Report(
            names: labels, isNumber: areNumbers)
        report.tableHeadings = report.names
        report.rows = [cells]
        report.tableRows = [cells]
        report.append(style, null: values.null, to: &out)
    }

    private static func cell(_ value: Value) -> Report.Cell {
        var text = ByteBuffer(capacity: 64)
        switch value {
        case .int(let v): return .number(Int(v))
        case .float(let v) where v.isFinite: text.append(number: v)
        case .double(let v) where v.isFinite: text.append(number: v)
        case .float(let v): return .text(v.isNaN ? "NaN" : v > 0 ? "Infinity" : "-Infinity")
        case .double(let v): return .text(v.isNaN ? "NaN" : v > 0 ? "Infinity" : "-Infinity")
        case .decimal(let v): return .text(v.description)
        case .timestamp(let v):
            text.append(rfc3339: v)
            return .text(text.string)
        default: return .null
        }
        return .literal(text.string)
    }
}
