import RealmEngine

/// `--aggregate`: counts, sums, averages and extremes of some properties, in one pass.
package final class Aggregation {
    private enum Kind: String {
        case sum, avg, min, max
    }

    private struct Term {
        let label: String
        /// Nil for `count`.
        let kind: Kind?
        let column: Int
        var number = 0
        var sum = 0.0
        /// Sums of integers stay exact as long as they fit.
        var whole: Int64 = 0
        var isWhole = true
        var decimal = Decimal128.zero
        var isDecimal = false
        var extreme = Value.null
    }

    private var terms: [Term] = []
    private var total = 0
    private let table: TableInfo
    /// Columns read, without repetition.
    private var columns: [Int] = []

    /// Parses the list and checks it against the class.
    package init(_ list: String, _ table: TableInfo) throws(RealmError) {
        self.table = table
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            terms.append(try term(String(item)))
        }
    }

    private func term(_ text: String) throws(RealmError) -> Term {
        if text == "count" { return Term(label: text, kind: nil, column: -1) }
        guard text.hasSuffix(")"), let open = text.firstIndex(of: "("),
            let kind = Kind(rawValue: String(text[..<open]))
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
        let column = table.columns[index]
        let isNumber = [.int, .float, .double, .decimal, .mixed].contains(column.type)
        let isOrdered = isNumber || column.type == .timestamp
        guard column.collection == nil, kind == .sum || kind == .avg ? isNumber : isOrdered else {
            throw .misuse(
                "--aggregate: \(kind.rawValue) of \(name), which holds \(column.type.name)",
                code: "InvalidArgument", reason: "bad-value")
        }
        if !columns.contains(index) { columns.append(index) }
        return Term(label: text, kind: kind, column: columns.firstIndex(of: index)!)
    }

    /// Computes over the objects of a plan; returns how many there were.
    package func run(_ plan: QueryPlan, _ snapshot: Snapshot) throws(RealmError) -> Int {
        let scan = snapshot.table(table).scan(columns: columns)
        if plan.isArranged {
            for key in try plan.rows(in: snapshot).keys {
                if let row = try scan.seek(key) { try add(scan, CollectionOfOne(row)) }
            }
            return total
        }
        let run = QueryRun(plan, in: snapshot)
        var rows: [Int] = []
        snapshot.beginWalk()
        for unit in try plan.units(in: snapshot) {
            rows.removeAll(keepingCapacity: true)
            try run.appendRows(of: unit, to: &rows)
            if rows.isEmpty { continue }
            try scan.open(unit.location)
            try add(scan, rows)
        }
        return total
    }

    /// Adds rows of the scan's leaf, one term after the other.
    private func add(_ scan: TableScan, _ rows: some Collection<Int>) throws(RealmError) {
        total += rows.count
        for i in terms.indices {
            guard let kind = terms[i].kind else { continue }
            // Out of the array while the rows are added: each access to it would be checked.
            var term = terms[i]
            for row in rows {
                let value = try scan.value(row: row, column: term.column)
                switch kind {
                case .sum, .avg: addNumber(value, &term)
                case .min, .max: addExtreme(value, &term, isMax: kind == .max)
                }
            }
            terms[i] = term
        }
    }

    private func addNumber(_ value: Value, _ term: inout Term) {
        switch value {
        case .int(let v):
            let (sum, overflow) = term.whole.addingReportingOverflow(v)
            term.whole = sum
            if overflow { term.isWhole = false }
            term.sum += Double(v)
            term.decimal = term.isDecimal ? term.decimal + Decimal128(v) : term.decimal
        case .float(let v): addDouble(Double(v), &term)
        case .double(let v): addDouble(v, &term)
        case .decimal(let v):
            if !term.isDecimal {
                term.isDecimal = true
                term.decimal = term.isWhole ? Decimal128(term.whole) : Decimal128(term.sum)
            }
            term.decimal = term.decimal + v
        default: return
        }
        term.number += 1
    }

    private func addDouble(_ v: Double, _ term: inout Term) {
        term.isWhole = false
        term.sum += v
        if term.isDecimal { term.decimal = term.decimal + Decimal128(v) }
    }

    private func addExtreme(_ value: Value, _ term: inout Term, isMax: Bool) {
        switch value {
        case .int, .float, .double, .decimal, .timestamp: break
        default: return
        }
        if case .null = term.extreme {
            term.extreme = value
            return
        }
        let order = ValueOrder.compare(value, term.extreme)
        if isMax ? order > 0 : order < 0 { term.extreme = value }
    }

    private func result(_ term: Term) -> Value {
        switch term.kind {
        case nil: return .int(Int64(total))
        case .min, .max: return term.extreme
        case .sum:
            if term.isDecimal { return .decimal(term.decimal) }
            return term.isWhole && isWholeColumn(term) ? .int(term.whole) : .double(term.sum)
        case .avg:
            if term.number == 0 { return .null }
            if term.isDecimal { return .decimal(term.decimal / Decimal128(term.number)) }
            return .double(term.sum / Double(term.number))
        }
    }

    private func isWholeColumn(_ term: Term) -> Bool {
        let type = table.columns[columns[term.column]].type
        return type == .int || type == .mixed
    }

    /// The results, in the order of the list.
    package var results: [Value] { terms.map(result) }

    /// Appends the one record.
    package func append(_ style: RecordStyle, _ values: ValueStyle, to out: inout ByteBuffer) {
        var style = style
        // One record needs no array around it.
        if style.format == .json { style.format = .ndjson }
        let cells = results.map(Self.cell)
        var report = Report(
            names: terms.map(\.label), isNumber: terms.map { $0.kind != .min && $0.kind != .max })
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
