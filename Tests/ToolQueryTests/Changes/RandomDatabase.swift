import RealmEngine

@testable import ToolKit
@testable import ToolSupport

/// A schema file and records, generated from a seed. The names are few, so that two databases have
/// much in common and differ in all possible ways.
struct RandomDatabase {
    let schema: String
    let records: String

    private struct Property {
        let name: String
        let json: String
        /// Returns a value of the property as extended JSON; nil for the default.
        let value: (inout Generator) -> String?
    }

    private struct Class {
        let name: String
        let isEmbedded: Bool
        /// Type of the primary key, `int` or `string`; nil for none.
        let key: String?
        var properties: [Property] = []
        var ids: [Int] = []
    }

    struct Generator {
        var random: SeededRandom
        mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
        mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
    }

    init(seed: UInt64) {
        var random = Generator(random: SeededRandom(seed: seed))
        var classes: [Class] = []
        for name in ["A", "B", "C", "D"] where random.chance(80) {
            let isEmbedded = name == "D" || (name == "C" && random.chance(30))
            let key = isEmbedded ? nil : random.pick([nil, "int", "int", "string"])
            classes.append(Class(name: name, isEmbedded: isEmbedded, key: key))
        }
        for i in classes.indices where !classes[i].isEmbedded {
            classes[i].ids = (0..<8).filter { _ in random.chance(60) }
        }
        for i in classes.indices {
            let mayLeadToEmbedded = !classes[i].isEmbedded
            let names = ["p0", "p1", "p2", "p3", "p4"].filter { _ in random.chance(75) }
            for name in random.chance(50) ? names : names.reversed() {
                classes[i].properties.append(
                    Self.property(name, classes, mayLeadToEmbedded, &random))
            }
        }
        let version = random.below(3)
        schema =
            "{\"schemaVersion\":\(version),\"classes\":["
            + classes.map(Self.schema).joined(separator: ",") + "]}"
        var lines: [String] = []
        for spec in classes {
            for id in spec.ids { lines.append(Self.record(spec, id, &random)) }
        }
        records = lines.joined(separator: "\n") + "\n"
    }

    private static func schema(_ spec: Class) -> String {
        var properties = spec.properties.map(\.json)
        if let key = spec.key { properties.append("{\"name\":\"id\",\"type\":\"\(key)\"}") }
        return "{\"name\":\"\(spec.name)\",\"kind\":\"\(spec.isEmbedded ? "embedded" : "class")\","
            + (spec.key == nil ? "" : "\"primaryKey\":\"id\",")
            + "\"properties\":[\(properties.joined(separator: ","))]}"
    }

    private static func record(_ spec: Class, _ id: Int, _ random: inout Generator) -> String {
        var fields = ["\"$class\":\"\(spec.name)\""]
        switch spec.key {
        case nil: fields.append("\"_key\":\(id)")
        case "int"?: fields.append("\"id\":\(id)")
        default: fields.append("\"id\":\"k\(id)\"")
        }
        fields += members(spec.properties, &random)
        return "{\(fields.joined(separator: ","))}"
    }

    private static func members(
        _ properties: [Property], _ random: inout Generator
    ) -> [String] {
        var members: [String] = []
        for property in properties where random.chance(80) {
            if let value = property.value(&random) {
                members.append("\"\(property.name)\":\(value)")
            }
        }
        return members
    }
}

// MARK: - Properties

extension RandomDatabase {
    private static func property(
        _ name: String, _ classes: [Class], _ mayLeadToEmbedded: Bool, _ random: inout Generator
    ) -> Property {
        let targets = classes.filter { !$0.isEmbedded }
        let embedded = classes.filter(\.isEmbedded)
        func make(
            _ rest: String, _ value: @escaping (inout Generator) -> String?
        ) -> Property {
            Property(name: name, json: "{\"name\":\"\(name)\",\(rest)}", value: value)
        }
        let collection = random.pick(["list", "set", "dictionary"])
        switch random.below(9) {
        case 0, 1:
            let (type, value) = random.pick(scalars)
            let isOptional = random.chance(50)
            let isIndexed = random.chance(30) && indexable.contains(type)
            return make(
                "\"type\":\"\(type)\",\"optional\":\(isOptional),\"indexed\":\(isIndexed)"
            ) { isOptional && $0.chance(20) ? "null" : value(&$0) }
        case 2:
            return make("\"type\":\"string\",\"fulltext\":\(random.chance(50))") { text(&$0) }
        case 3, 4:
            let (type, value) = random.pick(scalars)
            let isOptional = random.chance(40)
            return make(
                "\"type\":\"\(type)\",\"optional\":\(isOptional),\"collection\":\"\(collection)\""
            ) { random in
                elements(collection, &random) {
                    isOptional && $0.chance(20) ? "null" : value(&$0)
                }
            }
        case 5:
            return make("\"type\":\"mixed\"") { mixed(&$0, targets) }
        case 6:
            return make("\"type\":\"mixed\",\"collection\":\"\(collection)\"") { random in
                elements(collection, &random) { mixed(&$0, targets, depth: 2) }
            }
        case 7 where mayLeadToEmbedded && !embedded.isEmpty:
            let target = random.pick(embedded)
            let isList = random.chance(50)
            return make(
                "\"type\":\"object\",\"target\":\"\(target.name)\""
                    + (isList ? ",\"collection\":\"list\"" : ",\"optional\":true")
            ) { random in
                // Some properties of the class may not be generated yet; the existing ones get
                // values.
                let object = { (random: inout Generator) in
                    "{" + members(target.properties, &random).joined(separator: ",") + "}"
                }
                return isList ? elements("list", &random, object) : object(&random)
            }
        default:
            guard !targets.isEmpty else { return make("\"type\":\"bool\"") { "\($0.chance(50))" } }
            let target = random.pick(targets)
            let kind = random.pick(["", "list", "set", "dictionary"])
            let rest = kind.isEmpty ? ",\"optional\":true" : ",\"collection\":\"\(kind)\""
            return make("\"type\":\"object\",\"target\":\"\(target.name)\"\(rest)") { random in
                if target.ids.isEmpty { return nil }
                if kind.isEmpty { return link(&random, target) }
                return elements(kind, &random) { link(&$0, target) }
            }
        }
    }

    private static let indexable = ["int", "string", "bool", "date", "objectId", "uuid"]

    private static var scalars: [(String, (inout Generator) -> String)] {
        [
            ("int", { "\($0.below(5) - 2)" }), ("bool", { "\($0.chance(50))" }),
            ("string", { text(&$0) }),
            ("double", { "{\"$numberDouble\":\"\($0.pick(["NaN", "-0", "1", "1.5"]))\"}" }),
            ("float", { "{\"$numberDouble\":\"\($0.pick(["NaN", "-0", "1", "1.5"]))\"}" }),
            ("decimal128", { "{\"$numberDecimal\":\"\($0.pick(["1", "1.0", "-0", "NaN"]))\"}" }),
            ("date", { "{\"$date\":{\"$numberLong\":\"\($0.below(3))\"},\"$nanoseconds\":7}" }),
            ("objectId", { "{\"$oid\":\"65e5b0c2a1b2c3d4e5f6070\($0.below(5))\"}" }),
            ("uuid", { "\"65e5b0c2-a1b2-c3d4-e5f6-07080000000\($0.below(5))\"" }),
            ("data", { "\"\($0.pick(["", "AA==", "AQI="]))\"" }),
        ]
    }

    private static func text(_ random: inout Generator) -> String {
        random.pick([
            "\"\"", "\"a\"", "\"b c\"", "\"1\"", "{\"$string\":{\"base64\":\"Yf8=\"}}",
            "{\"$string\":{\"base64\":\"Yf4=\"}}",
        ])
    }

    private static func link(_ random: inout Generator, _ target: Class) -> String {
        let id = random.pick(target.ids)
        let key = target.key == "string" ? "\"k\(id)\"" : "\(id)"
        return "{\"$link\":{\"table\":\"\(target.name)\",\"key\":\(key)}}"
    }

    private static func mixed(
        _ random: inout Generator, _ targets: [Class], depth: Int = 0
    ) -> String {
        switch random.below(depth < 2 ? 8 : 6) {
        case 0: return "null"
        case 1: return "{\"$numberFloat\":\"\(random.pick(["1", "1.5", "NaN"]))\"}"
        case 2, 3:
            return random.pick(scalars.filter { $0.0 != "float" && $0.0 != "data" }).1(&random)
        case 4, 5:
            let linkable = targets.filter { !$0.ids.isEmpty }
            return linkable.isEmpty ? "7" : link(&random, random.pick(linkable))
        case 6:
            return elements("list", &random) { mixed(&$0, targets, depth: depth + 1) } ?? "[]"
        default:
            return "{\"$dictionary\":"
                + (elements("dictionary", &random) { mixed(&$0, targets, depth: depth + 1) } ?? "{}")
                + "}"
        }
    }

    private static func elements(
        _ kind: String, _ random: inout Generator, _ element: (inout Generator) -> String
    ) -> String? {
        let count = random.below(4)
        let values = (0..<count).map { _ in element(&random) }
        guard kind == "dictionary" else { return "[\(values.joined(separator: ","))]" }
        return "{" + values.enumerated().map { "\"k\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}
