import RealmEngine

/// `--aggregate`: counts, sums, averages and extremes of some properties, as a list names them and as
/// they are printed.
package final class Aggregation {
    private static let functions: [String: AggregateFunction] = [
        "sum": .sum, "avg": .average, "min": .min, "max": .max,
    ]

    private(set) var labels: [String] = []
    private(set) var expressions: [AggregateExpression] = []
    /// The results, in the order of the list.
    package private(set) var results: [Value] = []

    /// Parses the list and checks it against the class.
    package init(_ list: String, _ table: TableInfo) throws(RealmError) {
        for item in NameList.parts(list) {
            labels.append(item)
            expressions.append(try Self.expression(item, table))
        }
    }

    private static func expression(
        _ text: String, _ table: TableInfo
    ) throws(RealmError) -> AggregateExpression {
        if text == "count" { return .count }
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
            let function = functions[String(text[..<open])]
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
        guard let expression = AggregateExpression(function, of: index, in: table) else {
            throw .misuse(
                "--aggregate: \(text[..<open]) of \(name), which holds "
                    + table.columns[index].type.name,
                code: "InvalidArgument", reason: "bad-value")
        }
        return expression
    }

    /// Whether each result is certainly a number.
    var areNumbers: [Bool] { expressions.map { $0.function != .min && $0.function != .max } }

    /// Computes over the objects of a plan; returns how many there were.
    package func run(_ plan: QueryPlan, _ snapshot: Snapshot) throws(RealmError) -> Int {
        let (count, values) = try plan.aggregates(expressions, in: snapshot)
        results = values
        return count
    }

    /// Appends the one record.
    package func append(
        _ style: RecordStyle, _ values: ValueStyle, _ snapshot: Snapshot, to out: inout ByteBuffer
    ) throws(RealmError) {
        var style = style
        // One record needs no array around it.
        if style.format == .json { style.format = .ndjson }
        let records = ValueRecords(labels, isNumber: areNumbers, snapshot, values, style)
        records.begin(to: &out)
        try records.append(results, to: &out)
        records.finish(to: &out)
    }
}
