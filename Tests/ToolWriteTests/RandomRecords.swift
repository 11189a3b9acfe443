@testable import ToolKit
@testable import ToolSupport

/// Random records of all types in extended form, with values that are difficult for text formats.
struct RandomRecords {
    private var random: SeededRandom
    /// Whether there are mixed values and strings that are not UTF-8, which plain forms do not
    /// always preserve.
    private let isLossy: Bool

    init(seed: UInt64, isLossy: Bool) {
        random = SeededRandom(seed: seed)
        self.isLossy = isLossy
    }

    private static let scalars = [
        "int", "bool", "string", "data", "date", "float", "double", "decimal128", "objectId",
        "uuid",
    ]

    private static let owned = ["Keyless", "Part"]
    /// Classes with an optional primary key, and its type.
    private static let keyed = [
        ("ByInt", "int"), ("ByText", "string"), ("ById", "objectId"), ("ByUUID", "uuid"),
    ]

    /// The classes in the text form of `realm-query --schema`.
    var schema: String {
        var lines: [String] = []
        for (name, type) in Self.keyed { lines += ["class \(name)", " *k \(type)?", "  n int"] }
        lines += ["class Keyless", "  n int", "class Part (embedded)", "  s string?"]
        lines += ["  n list<int?>", "  to ByText?"]
        if isLossy { lines.append("  any mixed") }
        lines += ["class Main", " *id int"]
        for type in Self.scalars {
            lines += ["  a_\(type) \(type)", "  b_\(type) \(type)?", "  c_\(type) list<\(type)>"]
            lines += ["  d_\(type) list<\(type)?>", "  e_\(type) set<\(type)>"]
            lines += ["  f_\(type) dictionary<\(type)?>"]
        }
        for (name, _) in Self.keyed {
            lines += ["  to\(name) \(name)?", "  all\(name) list<\(name)>"]
            lines += ["  set\(name) set<\(name)>", "  map\(name) dictionary<\(name)?>"]
        }
        lines += ["  cage Keyless?", "  cages list<Keyless>", "  part Part?", "  parts list<Part>"]
        if isLossy {
            lines += ["  any mixed", "  anys list<mixed>", "  anyset set<mixed>"]
            lines.append("  anymap dictionary<mixed>")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns records of all classes, each with its class.
    mutating func records(_ count: Int) -> [String] {
        var lines: [String] = []
        for (name, type) in Self.keyed {
            for (n, key) in keys(type).enumerated() {
                lines.append(#"{"$class":"\#(name)","k":\#(key),"n":\#(n)}"#)
            }
        }
        for n in 0..<3 { lines.append(#"{"$class":"Keyless","_key":\#(n * 3),"n":\#(n)}"#) }
        for id in 0..<count { lines.append(record(id)) }
        return lines
    }

    private mutating func record(_ id: Int) -> String {
        var fields = [#""$class":"Main","id":\#(id)"#]
        func add(_ name: String, _ value: String) { fields.append("\"\(name)\":\(value)") }
        for type in Self.scalars {
            add("a_\(type)", value(type))
            add("b_\(type)", optional(type))
            add("c_\(type)", list { $0.value(type) })
            add("d_\(type)", list { $0.optional(type) })
            add("e_\(type)", "{\"$set\":\(list(unique: true) { $0.value(type) })}")
            add("f_\(type)", dictionary { $0.optional(type) })
        }
        for (name, type) in Self.keyed {
            add("to\(name)", flip() ? "null" : link(name, type))
            add("all\(name)", list { $0.link(name, type) })
            add("set\(name)", "{\"$set\":\(list(unique: true) { $0.link(name, type) })}")
            add("map\(name)", dictionary { $0.flip() ? "null" : $0.link(name, type) })
        }
        add("cage", flip() ? "null" : keyless())
        add("cages", list { $0.keyless() })
        add("part", flip() ? "null" : part())
        add("parts", list { $0.part() })
        if isLossy {
            add("any", mixed())
            add("anys", list { $0.mixed() })
            add("anyset", "{\"$set\":\(list(unique: true) { $0.mixed(depth: 9) })}")
            add("anymap", dictionary { $0.mixed() })
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    // MARK: Values

    private mutating func flip() -> Bool { Bool.random(using: &random) }

    private mutating func one<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    private mutating func optional(_ type: String) -> String { flip() ? "null" : value(type) }

    private mutating func value(_ type: String) -> String {
        switch type {
        case "int": return #"{"$numberLong":"\#(one(Self.integers))"}"#
        case "bool": return flip() ? "true" : "false"
        case "string": return string()
        case "data": return #"{"$binary":{"base64":"\#(base64())","subType":"00"}}"#
        case "date": return date()
        case "float":
            let any = Float(bitPattern: UInt32.random(in: 0..<0x7F80_0000, using: &random))
            return #"{"$numberDouble":"\#(one(Self.floats + ["\(any)"]))"}"#
        case "double":
            let any = Double(bitPattern: UInt64.random(in: 0..<0x7FF0 << 48, using: &random))
            return #"{"$numberDouble":"\#(one(Self.doubles + ["\(any)"]))"}"#
        case "decimal128": return #"{"$numberDecimal":"\#(one(Self.decimals))"}"#
        case "objectId": return one(keys("objectId").dropLast().map { $0 })
        default: return one(keys("uuid").dropLast().map { $0 })
        }
    }

    private static let integers: [Int64] = [.min, -1, 0, 1, 59, 9_007_199_254_740_993, .max]
    private static let floats = ["NaN", "Infinity", "-Infinity", "-0", "0.1", "3.4028235e+38"]
    private static let doubles = [
        "NaN", "Infinity", "-Infinity", "-0", "0.1", "1e22", "5e-324", "9007199254740993", "1e16",
    ]
    private static let decimals = [
        "NaN", "Infinity", "-Infinity", "-0", "1.50", "1E+3", "1234567890123456789012345678901234",
        "9.999999999999999999999999999999999E+6144", "1E-6176", "0E+10",
    ]

    /// Returns the keys of a class's objects, with null at the end.
    private func keys(_ type: String) -> [String] {
        switch type {
        case "int": return ["0", "-7", "null"].map { $0 }
        case "string":
            return Self.texts.map { RandomRecords.quoted($0) } + ["null"]
        case "objectId":
            return [
                #"{"$oid":"000000000000000000000000"}"#, #"{"$oid":"65e5b0c2a1b2c3d4e5f60708"}"#,
                "null",
            ]
        default:
            return [
                #"{"$binary":{"base64":"AAAAAAAAAAAAAAAAAAAAAA==","subType":"04"}}"#,
                #"{"$binary":{"base64":"ASNFZ4mrze8BI0VniavN7w==","subType":"04"}}"#, "null",
            ]
        }
    }

    private static let texts = [
        "", " ", "null", "NULL", "\\N", "\\", "\"", "\"q\"", "'", ",", ";", "a;b", "\t", "\n", "\r",
        "\r\n", "a\tb", "a\nb", "a,b", "{", "[", "{}", "[]", "[1]", "{\"a\":1}", "{\"_key\":1}",
        "{\"$oid\":\"000000000000000000000000\"}", "{\"$string\":\"x\"}", "[\"x\"]",
        "{\"$string\":1}",
        "1", "01", "-0", "1.5", "1e3", "NaN", "inf", "true", "false", "yes", "2025-03-04",
        "2025-03-04T09:12:44Z", "65e5b0c2a1b2c3d4e5f60708", "AAAA", "\u{0}", "\u{1B}[0m", "\u{7F}",
        "é", "e\u{301}", "日本", "👩‍👩‍👧", "\u{FEFF}", "\u{2028}", "\u{FFFD}", "#", "=1+1", "x ",
        "01234567-89ab-cdef-0123-456789abcdef",
    ]

    private mutating func string() -> String {
        if isLossy, Int.random(in: 0..<30, using: &random) == 0 {
            return #"{"$string":{"base64":"Yf8="}}"#
        }
        return RandomRecords.quoted(flip() ? one(Self.texts) : one(Self.texts) + one(Self.texts))
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private mutating func base64() -> String {
        one(["", "AA==", "AAE=", "AAEC", "//79/A==", "MTIz"])
    }

    private mutating func date() -> String {
        let milliseconds = one([
            "0", "-1", "1", "1741079564123", "-62135596800000", "253402300800000",
            "-62167219200001", "9223372036854775807000", "-9223372036854775808000",
        ])
        let rest = one(["", "", "1", "999999"])
        let isNegative = milliseconds.hasPrefix("-")
        let nanoseconds = rest.isEmpty ? "" : ",\"$nanoseconds\":\(isNegative ? "-" : "")\(rest)"
        return #"{"$date":{"$numberLong":"\#(milliseconds)"}\#(nanoseconds)}"#
    }

    private mutating func link(_ name: String, _ type: String) -> String {
        #"{"$link":{"table":"\#(name)","key":\#(one(keys(type)))}}"#
    }

    private mutating func keyless() -> String {
        #"{"$link":{"table":"Keyless","key":\#(one([0, 3, 6]))}}"#
    }

    private mutating func part() -> String {
        let any = isLossy ? ",\"any\":\(mixed(depth: 2))" : ""
        let to = flip() ? "null" : link("ByText", "string")
        let numbers = list { $0.optional("int") }
        let content = #"{"s":\#(optional("string")),"n":\#(numbers),"to":\#(to)\#(any)}"#
        return #"{"$embedded":{"table":"class_Part","value":\#(content)}}"#
    }

    private mutating func mixed(depth: Int = 0) -> String {
        let choice = Int.random(in: 0..<(depth < 3 ? 8 : 5), using: &random)
        switch choice {
        case 0: return "null"
        case 1:
            let (name, type) = one(Self.keyed)
            return flip() ? keyless() : link(name, type)
        case 2:
            let number = value("float")
            return "{\"$numberFloat\"" + number.dropFirst("{\"$numberDouble\"".count)
        case 3, 4: return value(one(Self.scalars.filter { $0 != "float" }))
        case 5: return list { $0.mixed(depth: depth + 1) }
        case 6: return dictionary { $0.mixed(depth: depth + 1) }
        default: return string()
        }
    }

    // MARK: Collections

    private mutating func list(
        unique: Bool = false, _ element: (inout RandomRecords) -> String
    ) -> String {
        var elements: [String] = []
        for _ in 0..<one([0, 0, 1, 1, 2, 4]) {
            let next = element(&self)
            if !unique || !elements.contains(next) { elements.append(next) }
        }
        return "[" + elements.joined(separator: ",") + "]"
    }

    private mutating func dictionary(_ element: (inout RandomRecords) -> String) -> String {
        var keys: [String] = []
        var entries: [String] = []
        for _ in 0..<one([0, 1, 3]) {
            let key = one(Self.texts)
            let isFree = key.first != "$" && !key.contains(".") && !keys.contains(key)
            let value = element(&self)
            guard isFree else { continue }
            keys.append(key)
            entries.append(RandomRecords.quoted(key) + ":" + value)
        }
        return "{\"$dictionary\":{" + entries.joined(separator: ",") + "}}"
    }
}
