import RealmEngine
import RealmRecords

/// The aggregates of `--aggregate`: their labels (as written in the list), their expressions and
/// their results.
package final class Aggregation {
    private(set) var labels: [String] = []
    private(set) var expressions: [AggregateExpression] = []
    /// Results of the aggregates, in the order of the list; empty before `run`.
    package private(set) var results: [Value] = []

    /// Parses a comma-separated list of aggregates and checks it against the class.
    package convenience init(_ list: String, _ table: TableInfo) throws(RealmError) {
        try self.init(NameList.parts(list), table)
    }

    /// Parses aggregates such as `sum(age)` and checks them against the class.
    package init(_ items: [String], _ table: TableInfo) throws(RealmError) {
        for item in items {
            let label = Self.trimmed(item)
            labels.append(label)
            expressions.append(try Self.expression(label, table))
        }
    }

    private static func trimmed(_ item: String) -> String {
        let (bytes, space) = (item.utf8, UInt8(ascii: " "))
        guard let first = bytes.firstIndex(where: { $0 != space }),
            let last = bytes.lastIndex(where: { $0 != space })
        else { return "" }
        return String(Substring(bytes[first...last]))
    }

    private static func expression(
        _ text: String, _ table: TableInfo
    ) throws(RealmError) -> AggregateExpression {
        if text == AggregateFunction.count.form { return .count }
        guard let aggregate = AggregateName(text) else {
            throw .misuse(
                "--aggregate: '\(text)' is not one of \(AggregateFunction.forms)",
                code: "InvalidArgument", reason: "bad-value")
        }
        let (function, name) = (aggregate.function, aggregate.property)
        guard let index = table.columnIndex(named: name) else {
            let near = Spelling.nearest(3, to: name, among: table.columns.map(\.name))
            throw .misuse(
                "--aggregate: \(table.className) has no property \(name)", code: "InvalidArgument",
                reason: "unknown-property",
                hint: near.isEmpty ? nil : "did you mean \(near.joined(separator: ", "))?")
        }
        guard let expression = AggregateExpression(function, of: index, in: table) else {
            throw .misuse(
                "--aggregate: \(text) is not defined: \(name) holds "
                    + (table.columns[index].collection.map { "a \($0.rawValue) of " } ?? "")
                    + table.columns[index].type.name,
                code: "InvalidArgument", reason: "bad-value")
        }
        return expression
    }

    /// For each result, whether its type is always a number.
    var areNumbers: [Bool] { expressions.map(\.function.isAlwaysNumber) }

    /// Computes the aggregates over the objects of a plan and returns the number of objects.
    package func run(_ plan: QueryPlan, _ snapshot: Snapshot) throws(RealmError) -> Int {
        let (count, values) = try plan.aggregates(expressions, in: snapshot)
        results = values
        return count
    }

    /// Appends the results of the aggregates as one record.
    package func append(
        _ style: RecordStyle, _ values: ValueStyle, _ snapshot: Snapshot, to out: inout ByteBuffer
    ) throws(RealmError) {
        var style = style
        // A single record is printed without an array around it.
        if style.form == JSONForm.self { style.form = NDJSONForm.self }
        let records = ValueRecords(labels, isNumber: areNumbers, snapshot, values, style)
        records.begin(to: &out)
        try records.append(results, to: &out)
        records.finish(to: &out)
    }
}
