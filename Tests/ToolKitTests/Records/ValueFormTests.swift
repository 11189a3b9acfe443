import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// Conversion of JSON to values by the type of their property, in plain and extended form.
@Suite struct ValueFormTests {
    private func read(_ json: String, _ type: ColumnType, isNullable: Bool = false) -> String {
        let tape = JSONTape()
        var json = json
        return json.withUTF8 { text in
            guard
                let value = try? tape.parse(
                    copying: ByteView(UnsafeRawPointer(text.baseAddress!), count: text.count))
            else { return "not JSON" }
            do throws(ValueMismatch) {
                return Self.show(try value.scalar(type, isNullable: isNullable))
            } catch {
                return "expected \(error.expected), got \(error.got)"
            }
        }
    }

    private static func show(_ value: Value) -> String {
        switch value {
        case .string(let text): "string \(text.string)"
        case .binary(let bytes): "binary \(bytes.bytes)"
        case .decimal(let number):
            "decimal \(number.exactInt64.map { "\($0)" } ?? "\(number.doubleValue)")"
        case .objectID(let id): "objectID \(String(id.high, radix: 16)) \(id.low)"
        case .uuid(let id): "uuid \(String(id.high, radix: 16)) \(id.low)"
        case .timestamp(let time): "timestamp \(time.seconds) \(time.nanoseconds)"
        default: "\(value)"
        }
    }

    private static let id = "0123456789abcdef01234567"
    private static let uuid = "01234567-89ab-cdef-0000-000000000007"

    private static let accepted: [(String, ColumnType, String)] = [
        ("1", .int, "int(1)"), ("-9223372036854775808", .int, "int(-9223372036854775808)"),
        ("1.0", .int, "int(1)"), ("12e3", .int, "int(12000)"), ("-0", .int, "int(0)"),
        (#"{"$numberLong":"9223372036854775807"}"#, .int, "int(9223372036854775807)"),
        (#"{"$numberInt":"-5"}"#, .int, "int(-5)"),
        ("true", .bool, "bool(true)"), ("false", .bool, "bool(false)"),
        (#""a\tb""#, .string, "string a\tb"), (#""""#, .string, "string "),
        ("1", .double, "double(1.0)"), ("-0", .double, "double(-0.0)"),
        ("556.62", .double, "double(556.62)"), (#""NaN""#, .double, "double(nan)"),
        (#""Infinity""#, .double, "double(inf)"), (#""-Infinity""#, .float, "float(-inf)"),
        (#"{"$numberDouble":"-inf"}"#, .double, "double(-inf)"),
        (#"{"$numberDouble":"1.0000000000000001e-01"}"#, .double, "double(0.1)"),
        ("0.1", .float, "float(0.1)"), (#"{"$numberDouble":"nan"}"#, .float, "float(nan)"),
        ("5", .decimal, "decimal 5"), ("0.5", .decimal, "decimal 0.5"),
        (#""1E3""#, .decimal, "decimal 1000"),
        (#"{"$numberDecimal":"-Inf"}"#, .decimal, "decimal -inf"),
        (#"{"$numberDecimal":"+12E+0"}"#, .decimal, "decimal 12"),
        (#""2025-03-04T09:12:44.123456789Z""#, .timestamp, "timestamp 1741079564 123456789"),
        ("1741079564", .timestamp, "timestamp 1741079564 0"),
        ("-1.25", .timestamp, "timestamp -1 -250000000"),
        (#"{"$date":{"$numberLong":"-1500"}}"#, .timestamp, "timestamp -1 -500000000"),
        (#"{"$date":{"$numberLong":"1001"},"$nanoseconds":17}"#, .timestamp, "timestamp 1 1000017"),
        (
            #"{"$date":{"$numberLong":"-1001"},"$nanoseconds":-17}"#, .timestamp,
            "timestamp -1 -1000017"
        ),
        (#"{"$date":"1970-01-01T00:00:01Z"}"#, .timestamp, "timestamp 1 0"),
        (#"{"$date":2000}"#, .timestamp, "timestamp 2 0"),
        ("\"\(id)\"", .objectID, "objectID 123456789abcdef 19088743"),
        ("{\"$oid\":\"\(id)\"}", .objectID, "objectID 123456789abcdef 19088743"),
        ("\"\(uuid)\"", .uuid, "uuid 123456789abcdef 7"),
        (
            #"{"$binary":{"base64":"ASNFZ4mrze8AAAAAAAAABw==","subType":"04"}}"#, .uuid,
            "uuid 123456789abcdef 7"
        ),
        (#""AQID""#, .binary, "binary [1, 2, 3]"), (#""""#, .binary, "binary []"),
        (#"{"$binary":{"base64":"AQI=","subType":"00"}}"#, .binary, "binary [1, 2]"),
        // Legacy extended JSON of MongoDB.
        (#"{"$binary":"AQI=","$type":"00"}"#, .binary, "binary [1, 2]"),
        (
            #"{"$binary":"ASNFZ4mrze8AAAAAAAAABw==","$type":"04"}"#, .uuid,
            "uuid 123456789abcdef 7"
        ),
        (#"{"$timestamp":{"t":1741079564,"i":3}}"#, .timestamp, "timestamp 1741079564 0"),
        (
            #"{"$regularExpression":{"pattern":"a.*b","options":"i"}}"#, .string,
            "string /a.*b/i"
        ),
        (#"{"$regex":"a/b","$options":""}"#, .string, "string /a/b/"),
    ]

    @Test(arguments: accepted) func validValuesAreAccepted(
        _ json: String, _ type: ColumnType, _ value: String
    ) {
        #expect(read(json, type) == value)
    }

    private static let refused: [(String, ColumnType, String)] = [
        ("null", .int, "null"), ("1.5", .int, "1.5"), (#""12kB""#, .int, #"string "12kB""#),
        (#""12""#, .int, #"string "12""#), ("9223372036854775808", .int, "9223372036854775808"),
        ("1e19", .int, "1e19"), ("true", .int, "true"), ("[1]", .int, "array [1]"),
        (#"{"$numberLong":5}"#, .int, #"object {"$numberLong":5}"#),
        (#"{"$numberLong":"1.5"}"#, .int, #"object {"$numberLong":"1.5"}"#),
        (#"{"$numberLong":"1","x":1}"#, .int, #"object {"$numberLong":"1","x":1}"#),
        (
            #"{"$binary":"AQI=","$type":"04"}"#, .binary,
            #"object {"$binary":"AQI=","$type":"04"}"#
        ),
        (#"{"$binary":"AQI="}"#, .binary, #"object {"$binary":"AQI="}"#),
        ("1", .bool, "1"), (#""true""#, .bool, #"string "true""#), ("1", .string, "1"),
        ("1e400", .double, "1e400"), ("1e39", .float, "1e39"),
        (#""inf""#, .double, #"string "inf""#),
        (#""1.5""#, .double, #"string "1.5""#), ("1e7000", .decimal, "1e7000"),
        (#""""#, .decimal, #"string """#), (#""x""#, .decimal, #"string "x""#),
        (#""2025-02-30T00:00:00Z""#, .timestamp, #"string "2025-02-30T00:00:00Z""#),
        ("1e30", .timestamp, "1e30"),
        (
            #"{"$date":{"$numberLong":"1"},"$nanoseconds":1000000}"#, .timestamp,
            #"object {"$date":{"$numberLong":"1"},"$nanoseconds":1000000}"#
        ),
        (#""0123""#, .objectID, #"string "0123""#), (#""x""#, .uuid, #"string "x""#),
        (#""A""#, .binary, #"string "A""#),
        (
            #"{"$binary":{"base64":"AQI=","subType":"04"}}"#, .uuid,
            #"object {"$binary":{"base64":"AQI=","subType":"04"}}"#
        ),
        (
            #"{"$binary":{"base64":"AQI=","subType":"04"}}"#, .binary,
            #"object {"$binary":{"base64":"AQI=","subType":"04"}}"#
        ),
        (
            #"{"$oid":"0123456789abcdef01234567"}"#, .uuid,
            #"object {"$oid":"0123456789abcdef01234567"}"#
        ),
    ]

    /// Description of a type's text form in messages.
    private static func form(_ type: ColumnType) -> String {
        switch type {
        case .binary: "data in base64"
        case .timestamp: "date such as 2025-03-04T09:12:44Z, 2025-03-04 09:12:44 or 2025-03-04"
        case .objectID: "objectId of 24 hexadecimal digits"
        case .uuid: "uuid such as 01234567-89ab-cdef-0123-456789abcdef"
        default: type.name
        }
    }

    @Test(arguments: refused) func invalidValuesAreRefused(
        _ json: String, _ type: ColumnType, _ got: String
    ) {
        #expect(read(json, type) == "expected \(Self.form(type)), got \(got)")
    }

    @Test func nullIsReadForEveryType() {
        let types: [ColumnType] = [
            .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectID, .uuid,
        ]
        for type in types {
            #expect(read("null", type, isNullable: true) == "null")
            #expect(read("null", type) == "expected \(Self.form(type)), got null")
        }
    }

    @Test func linksCollectionsAndObjectsAreRecognised() throws {
        let json = #"""
            {"links":[null,7,"x",{"$oid":"00"},{"_key":5},{"$link":{"table":"T","key":{"$numberLong":"3"}}},
                {"name":"new"}],
             "badLinks":[true,{"_key":-1},{"_key":"x"},{"$link":5},{"$link":{"key":1}},[]],
             "set":{"$set":[1,2]},"list":[1],"dict":{"$dictionary":{"a":1}},"plain":{"b":2,"c":3},
             "emb":{"$embedded":{"table":"class_E","value":{"v":1}}},"bare":{"v":2}}
            """#
        try RecordSupport.withJSON(json) { root in
            let links = root.field("links")!.children.map { try! Self.show($0.link()) }
            #expect(
                links == [
                    "null", "7 nil", "x nil", #"{"$oid":"00"} nil"#, "key 5",
                    #"{"$numberLong":"3"} T"#, #"object {"name":"new"}"#,
                ])
            for bad in root.field("badLinks")!.children {
                #expect(throws: ValueMismatch.self) { _ = try bad.link() }
            }
            func count(_ name: StaticString, set: Bool) -> Int? {
                try? root.field(name)!.elements(ofSet: set).map { $0 }.count
            }
            #expect(count("set", set: true) == 2)
            #expect(count("set", set: false) == nil)
            #expect(count("list", set: true) == 1)
            #expect(count("plain", set: false) == nil)
            #expect(try! root.field("dict")!.entries().map(\.key.string) == ["a"])
            #expect(try! root.field("plain")!.entries().map(\.key.string) == ["b", "c"])
            let embedded = try! root.field("emb")!.embedded()
            #expect(embedded?.table?.string == "class_E")
            #expect(embedded?.object.field("v")?.int == 1)
            #expect(try! root.field("bare")!.embedded()?.object.field("v")?.int == 2)
            #expect(throws: ValueMismatch.self) { _ = try root.field("list")!.embedded() }
        }
    }

    private static func show(_ link: LinkForm) -> String {
        switch link {
        case .null: "null"
        case .reference(let key, let table): "\(key.text.string) \(table?.string ?? "nil")"
        case .objectKey(let key): "key \(key.raw)"
        case .object(let value): "object \(value.source.string)"
        }
    }

    private static let mixed: [(String, String)] = [
        ("null", "null"), ("1", "int(1)"), ("1.5", "double(1.5)"), ("true", "bool(true)"),
        (#""s""#, "string s"), ("18446744073709551615", "decimal 1.8446744073709552e+19"),
        ("-0", "double(-0.0)"), ("1e3", "double(1000.0)"), ("[1,2]", "list 2"),
        (#"{"a":1}"#, "dictionary 1"), ("{}", "dictionary 0"),
        (#"{"$dictionary":{"a":1,"b":2}}"#, "dictionary 2"),
        (#"{"$numberLong":"5"}"#, "int(5)"), (#"{"$numberDouble":"5"}"#, "double(5.0)"),
        (#"{"$numberDecimal":"5"}"#, "decimal 5"),
        (#"{"$date":{"$numberLong":"0"}}"#, "timestamp 0 0"),
        (#"{"$binary":{"base64":"AQI=","subType":"00"}}"#, "binary [1, 2]"),
        (
            #"{"$binary":{"base64":"ASNFZ4mrze8AAAAAAAAABw==","subType":"04"}}"#,
            "uuid 123456789abcdef 7"
        ),
        (#"{"$link":{"table":"T","key":54}}"#, "link T 54"),
        (#"{"$numberLong":"x"}"#, "refused"), (#"{"$unknown":1}"#, "refused"),
        (#"{"$set":[1]}"#, "refused"), ("1e999", "refused"),
    ]

    @Test(arguments: mixed) func mixedValuesAreRead(_ json: String, _ expected: String) throws {
        try RecordSupport.withJSON(json) { value in
            var shown = "refused"
            switch try? value.mixed() {
            case .scalar(let scalar): shown = Self.show(scalar)
            case .link(let key, let table): shown = "link \(table.string) \(key.text.string)"
            case .list(let children): shown = "list \(children.map { $0 }.count)"
            case .dictionary(let children): shown = "dictionary \(children.map { $0 }.count)"
            case nil: break
            }
            #expect(shown == expected)
        }
    }

    @Test func convertsAnythingWithoutCrashing() throws {
        let texts = Self.accepted.map(\.0) + Self.refused.map(\.0) + Self.mixed.map(\.0)
        let types: [ColumnType] = [
            .int, .bool, .string, .binary, .mixed, .timestamp, .float, .double, .decimal, .link,
            .backlink, .objectID, .typedLink, .uuid,
        ]
        for text in texts {
            try RecordSupport.withJSON(text) { value in
                for type in types { _ = try? value.scalar(type, isNullable: true) }
                _ = try? value.link()
                _ = try? value.mixed()
                _ = try? value.elements(ofSet: true)
                _ = try? value.entries()
                _ = try? value.embedded()
            }
        }
    }
}
