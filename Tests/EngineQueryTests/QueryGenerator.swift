import Foundation

@testable import EngineSupport
@testable import RealmEngine

/// Random valid queries: paths of the schema, and constants close to the data.
struct QueryGenerator {
    let model: NaiveModel
    var random: SeededRandom

    private mutating func pick<T>(_ all: [T]) -> T { all[random.below(all.count)] }

    /// Returns a whole query on `table`.
    mutating func query(_ table: TableInfo) -> String {
        var text = condition(table, 3, "")
        for _ in 0..<random.below(3) where random.below(2) == 0 {
            text += " " + descriptor(table)
        }
        return text
    }

    private mutating func descriptor(_ table: TableInfo) -> String {
        switch random.below(3) {
        case 0: return "LIMIT(\(pick([0, 1, 3, 10, 100, 5000])))"
        case 1:
            let paths = (0...random.below(2)).map { _ in sortPath(table) }
            return "DISTINCT(\(paths.joined(separator: ", ")))"
        default:
            let paths = (0...random.below(2)).map { _ in
                sortPath(table) + pick([" ASC", " DESC"])
            }
            return "SORT(\(paths.joined(separator: ", ")))"
        }
    }

    private mutating func sortPath(_ table: TableInfo) -> String {
        var table = table
        var path = ""
        while true {
            let links = table.columns.filter { $0.type == .link && $0.collection == nil }
            if let link = links.randomElement(using: &random), random.below(3) == 0, path.count < 40
            {
                path += escaped(link.name) + "."
                table = model.snapshot.schema.table(link.target)!
                continue
            }
            let scalars = table.columns.filter { $0.collection == nil && isPlain($0.type) }
            return path + escaped(pick(scalars).name)
        }
    }

    private mutating func condition(_ table: TableInfo, _ depth: Int, _ prefix: String) -> String {
        if depth > 0 {
            switch random.below(9) {
            case 0, 1:
                return "(" + condition(table, depth - 1, prefix) + " AND "
                    + condition(table, depth - 1, prefix) + ")"
            case 2, 3:
                return "(" + condition(table, depth - 1, prefix) + " OR "
                    + condition(table, depth - 1, prefix) + ")"
            case 4: return "NOT (" + condition(table, depth - 1, prefix) + ")"
            default: break
            }
        }
        if depth > 1, random.below(12) == 0, let text = subquery(table, depth) { return text }
        return random.below(40) == 0
            ? pick(["TRUEPREDICATE", "FALSEPREDICATE"]) : comparison(table, prefix)
    }

    private mutating func subquery(_ table: TableInfo, _ depth: Int) -> String? {
        let lists = table.columns.filter { $0.type == .link && $0.collection == .list }
        guard let list = lists.randomElement(using: &random) else { return nil }
        let target = model.snapshot.schema.table(list.target)!
        let variable = "$v\(random.below(1000))"
        let inner = condition(target, depth - 2, variable + ".")
        let count = pick(["== 0", "> 0", "> 1", "== 1", "!= 2"])
        return "SUBQUERY(\(list.name), \(variable), \(inner)).@count \(count)"
    }

    /// A path with the type of its last step.
    private struct Path {
        var text: String
        var column: ColumnInfo?
        var table: TableInfo
        var isMany = false
        var isLink = false
    }

    private mutating func path(_ table: TableInfo) -> Path {
        var path = Path(text: "", column: nil, table: table)
        while path.text.count < 60 {
            let links = path.table.columns.filter {
                $0.type == .link && $0.collection != .dictionary
            }
            guard random.below(3) == 0 else { break }
            if random.below(4) == 0, let back = path.table.backlinks.randomElement(using: &random),
                let origin = model.snapshot.schema.table(back.origin), origin.kind == .topLevel,
                let column = origin.columns.first(where: { $0.key == back.originColumn }),
                column.collection != .dictionary
            {
                path.text += "@links.\(origin.className).\(escaped(column.name))."
                path.table = origin
                path.isMany = true
            } else if let link = links.randomElement(using: &random) {
                path.text += escaped(link.name) + "."
                path.table = model.snapshot.schema.table(link.target)!
                path.isMany = path.isMany || link.collection != nil
                path.column = link
            }
        }
        let ends = path.table.columns.filter {
            isPlain($0.type) && ($0.collection == nil || $0.collection == .list)
                || $0.type == .link && $0.collection != .dictionary
        }
        let end = pick(ends)
        path.column = end
        path.text += escaped(end.name)
        path.isLink = end.type == .link
        path.isMany = path.isMany || end.collection != nil
        return path
    }

    private func isPlain(_ type: ColumnType) -> Bool {
        switch type {
        case .int, .bool, .string, .binary, .timestamp, .float, .double, .objectID, .uuid: true
        default: false
        }
    }

    private func escaped(_ name: String) -> String {
        name.replacingOccurrences(of: " ", with: "\\ ").replacingOccurrences(of: "\t", with: "\\t")
    }

    private mutating func comparison(_ table: TableInfo, _ prefix: String) -> String {
        let path = path(table)
        let column = path.column!
        let text = prefix + path.text
        let isText = column.type == .string || column.type == .binary
        if random.below(8) == 0, column.collection != nil || isText || path.isLink && path.isMany {
            return "\(text).@count \(relation()) \(random.below(5))"
        }
        let quantifier = path.isMany ? pick(["", "ANY ", "ALL ", "NONE "]) : ""
        if path.isLink { return linkComparison(quantifier + text, path) }
        if isText, random.below(2) == 0 {
            let operation = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "!="])
            return
                "\(quantifier)\(text) \(operation)\(pick(["", "[c]"])) \(piece(column, operation))"
        }
        if random.below(6) == 0 {
            let members = (0..<random.below(5)).map { _ in constant(column) }
            let list = pick(["", "", "ANY ", "ALL ", "NONE "])
            let operation = pick(["IN", "==", "!=", ">"])
            // ALL with a list of several elements has its own rule, which the naive evaluator
            // lacks.
            let front = quantifier == "ALL " ? "ANY " : quantifier
            return "\(front)\(text) \(operation) \(list){\(members.joined(separator: ", "))}"
        }
        if random.below(8) == 0, column.collection == nil {
            return "\(quantifier)\(text) BETWEEN {\(bound(column)), \(bound(column))}"
        }
        if random.below(8) == 0, column.collection == nil, column.type == .int {
            let sign = pick(["+", "-", "*", "/"])
            return
                "\(quantifier)\(text) \(sign) \(random.below(5)) \(relation()) \(constant(column))"
        }
        if random.below(10) == 0, !path.isMany,
            let other = table.columns.filter({ $0.type == column.type && $0.collection == nil })
                .randomElement(using: &random)
        {
            return "\(text) \(relation()) \(prefix)\(escaped(other.name))"
        }
        if random.below(12) == 0, !path.isMany {
            return "\(constant(column)) \(relation()) \(text)"
        }
        return "\(quantifier)\(text) \(relation()) \(constant(column))"
    }

    private mutating func linkComparison(_ text: String, _ path: Path) -> String {
        let operation = pick(["==", "!="])
        let target = path.column!.target
        let objects = model.objects[target.raw]!
        if !path.isMany, random.below(2) == 0 || objects.isEmpty {
            return "\(text) \(operation) null"
        }
        if objects.isEmpty { return "\(text) == L\(target.raw):0" }
        return "\(text) \(operation) L\(target.raw):\(pick(objects).key)"
    }

    private mutating func relation() -> String { pick(["==", "!=", "<", "<=", ">", ">="]) }

    // MARK: Constants

    private mutating func bound(_ column: ColumnInfo) -> String {
        let text = constant(column)
        return text == "null" ? constant(column, canBeNull: false) : text
    }

    /// Returns a value of the column, or a similar one.
    private mutating func constant(_ column: ColumnInfo, canBeNull: Bool = true) -> String {
        if canBeNull, random.below(10) == 0 { return "null" }
        switch sample(column) {
        case .int(let x): return String(x &+ Int64(random.below(3)) &- 1)
        case .double(let x):
            let y = random.below(3) == 0 ? x + 0.5 : x
            if y.isNaN { return "nan" }
            if y.isInfinite { return y < 0 ? "-inf" : "inf" }
            if column.type == .float { return "\(Float(y))f" }
            return random.below(6) == 0 ? String(Int(max(-1e9, min(1e9, y)))) : "\(y)"
        case .bool(let x): return random.below(2) == 0 ? "\(x)" : "\(!x)"
        case .text(let x): return "B64\"\(Data(x).base64EncodedString())\""
        case .bytes(let x): return "binary(B64\"\(Data(x).base64EncodedString())\")"
        case .date(let s, let n):
            if s >= 0, n >= 0 { return "T\(s &+ Int64(random.below(2))):\(n)" }
            return "T\(s):\(n)"
        case .id(let x) where column.type == .uuid:
            let hex = Self.hex(x[0], 16) + Self.hex(x[1], 16)
            let d = Array(hex)
            let parts = [d[0..<8], d[8..<12], d[12..<16], d[16..<20], d[20..<32]]
            return "uuid(\(parts.map { String($0) }.joined(separator: "-")))"
        case .id(let x): return "oid(\(Self.hex(x[0], 16))\(Self.hex(x[1], 8)))"
        default: return fallback(column.type)
        }
    }

    private static func hex(_ x: UInt64, _ digits: Int) -> String {
        let text = String(x, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Constant for a column without values.
    private func fallback(_ type: ColumnType) -> String {
        switch type {
        case .int: "1"
        case .bool: "true"
        case .float: "1.5f"
        case .double: "1.5"
        case .string: "'a'"
        case .binary: "binary('a')"
        case .timestamp: "T1:1"
        case .objectID: "oid(000000000000000000000001)"
        case .uuid: "uuid(00000000-0000-4000-8000-000000000001)"
        default: "null"
        }
    }

    private mutating func sample(_ column: ColumnInfo) -> NaiveValue {
        let table = model.snapshot.schema.tables.first { info in
            info.isClass
                && info.columns.contains { $0.key == column.key && $0.name == column.name }
        }!
        let objects = model.objects[table.key.raw]!
        if objects.isEmpty { return .null }
        switch pick(objects).values[table.columnIndex(named: column.name)!] {
        case .list(let all): return all.isEmpty ? .null : pick(all)
        case let one: return one
        }
    }

    /// Returns a part of a text of the column, with wildcards for LIKE.
    private mutating func piece(_ column: ColumnInfo, _ operation: String) -> String {
        var bytes: [UInt8]
        switch sample(column) {
        case .text(let x), .bytes(let x): bytes = x
        default: bytes = [0x61]
        }
        if operation != "==", operation != "!=", !bytes.isEmpty {
            let start = random.below(bytes.count)
            bytes = Array(bytes[start..<min(bytes.count, start + 1 + random.below(6))])
        }
        if random.below(4) == 0 {
            bytes = bytes.map { (0x61...0x7A).contains($0) ? $0 - 32 : $0 }
        }
        if operation == "LIKE" {
            for _ in 0..<random.below(3) {
                bytes.insert(pick([0x2A, 0x3F]), at: random.below(bytes.count + 1))
            }
        }
        let text = Data(bytes).base64EncodedString()
        return column.type == .string ? "B64\"\(text)\"" : "binary(B64\"\(text)\")"
    }
}
