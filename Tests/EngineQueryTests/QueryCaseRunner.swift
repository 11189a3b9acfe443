import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Arguments and primary keys in the notation of the conformance data (query language 1).
extension CaseJSON {
    var argument: QueryArgument {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        case .string(let text): .string(text)
        case .array(let elements): .list(elements.map(\.argument))
        case .object(let members): Self.tagged(members[0].0, members[0].1)
        }
    }

    private static func tagged(_ tag: String, _ value: CaseJSON) -> QueryArgument {
        switch tag {
        case "$float": .float(Float(value.string!)!)
        case "$double": .double(Double(value.string!)!)
        case "$decimal": .decimal(decimal(value.string!))
        case "$date":
            .timestamp(
                Timestamp(
                    seconds: value.array[0].int, nanoseconds: Int32(value.array[1].int)))
        case "$data": .binary([UInt8](Data(base64Encoded: value.string!)!))
        case "$oid": .objectID(objectID(value.string!))
        case "$uuid": .uuid(uuid(value.string!))
        case "$link":
            .object(className: value.array[0].string!, primaryKey: value.array[1].argument)
        case "$list": .list(value.array.map(\.argument))
        case "$geopoint": .geo(.point(value.point))
        case "$geobox": .geo(.box(value.array[0].point, value.array[1].point))
        case "$geocircle": .geo(.circle(value.array[0].point, radius: value.array[1].number))
        case "$geopolygon": .geo(.polygon(value.array.map { $0.array.map(\.point) }))
        default: fatalError(tag)
        }
    }

    var int: Int64 {
        guard case .int(let value) = self else { return 0 }
        return value
    }

    private var number: Double {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: .nan
        }
    }

    private var point: GeoPoint {
        GeoPoint(longitude: array[0].number, latitude: array[1].number)
    }

    private static func decimal(_ text: String) -> Decimal128 {
        var text = text
        return text.withUTF8 {
            Decimal128(text: ByteView(UnsafeRawPointer($0.baseAddress!), count: $0.count))!
        }
    }

    private static func objectID(_ text: String) -> ObjectID {
        ObjectID(
            high: UInt64(text.prefix(16), radix: 16)!, low: UInt32(text.suffix(8), radix: 16)!)
    }

    private static func uuid(_ text: String) -> UUIDValue {
        let digits = text.filter { $0 != "-" }
        return UUIDValue(
            high: UInt64(digits.prefix(16), radix: 16)!, low: UInt64(digits.suffix(16), radix: 16)!)
    }
}

/// Runs cases on the reference engine's file of their dataset.
struct QueryCaseRunner {
    let snapshot: Snapshot
    let options: QueryOptions

    init(_ dataset: CaseJSON, options: QueryOptions = QueryOptions()) throws {
        self.init(try Database(immutable: Self.path(dataset)), options: options)
    }

    /// Runs cases on another file with the same objects.
    init(_ database: Database, options: QueryOptions) {
        snapshot = database.snapshot()
        self.options = options
    }

    static func path(_ dataset: CaseJSON) -> String {
        QueryCases.folder.appending(path: dataset["name"]!.string! + ".realm").path
    }

    enum Outcome {
        case keys([String])
        case failure(RealmError)
    }

    func outcome(of example: CaseJSON) -> Outcome {
        do throws(RealmError) {
            let arguments = example["args"]?.array.map(\.argument) ?? []
            let query = try Query(example["query"]!.string!, arguments: arguments)
            let info = snapshot.schema.table(named: example["class"]!.string!)!
            let bound = try query.bound(to: snapshot.table(info))
            let plan = try QueryPlan(bound, in: snapshot, options: options)
            let rows = try plan.rows(in: snapshot)
            var keys: [String] = []
            for key in rows.keys {
                keys.append(Self.describe(try snapshot.table(info).row(key)!.primaryKey()!))
            }
            return .keys(keys)
        } catch { return .failure(error) }
    }

    /// Text by which primary keys are compared.
    static func describe(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .int(let x): "\(x)"
        case .string(let text): text.string
        case .objectID(let x): "\(x)"
        case .uuid(let x): "\(x)"
        default: "?"
        }
    }

    static func describe(_ key: CaseJSON) -> String {
        switch key.argument {
        case .int(let x): "\(x)"
        case .string(let text): text
        case .objectID(let x): "\(x)"
        case .uuid(let x): "\(x)"
        default: "null"
        }
    }

    /// Describes the difference to the recorded outcome; nil if there is none.
    func difference(_ example: CaseJSON) -> String? {
        let outcome = outcome(of: example)
        if let expected = example.expectedError {
            guard case .failure(let error) = outcome else {
                return "expected \(expected.kind) \(expected.reason), got \(outcome)"
            }
            let code = Self.codes[expected.kind] ?? expected.kind
            if error.code == code, error.reason == expected.reason { return nil }
            return "expected \(code) \(expected.reason), got \(error.code) \(error.reason): "
                + error.message
        }
        let expected = example["expect"]!["keys"]!.array.map(Self.describe)
        switch outcome {
        case .failure(let error): return "failed: \(error.code) \(error.reason): \(error.message)"
        case .keys(let keys): return keys == expected ? nil : "expected \(expected), got \(keys)"
        }
    }

    private static let codes = [
        "syntax": "SyntaxError", "invalidQuery": "InvalidQuery",
        "invalidQueryArg": "InvalidQueryArg", "invalidArgument": "InvalidArgument",
        "illegalOperation": "IllegalOperation", "invalidSortDescriptor": "InvalidSortDescriptor",
        "noSuchTable": "NoSuchTable", "runtime": "RuntimeError",
    ]
}
