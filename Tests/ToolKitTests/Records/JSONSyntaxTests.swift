import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// Every rule of RFC 8259, with texts that obey and violate it, and the reader's own limits.
@Suite struct JSONSyntaxTests {
    private static let valid: [String] = [
        "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-0.0", "1e5", "1E+5", "1e-5",
        "0e0", "0.1e1", "123456789012345678901234567890", "\"\"", "\"a\"", "[]", "{}", " [ ] ",
        "\t{\r}\t", "[[],{},[{}]]", "[1,2]", "{\"a\":1}", "{\"a\":{\"b\":[null]}}", "{\"\":0}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"", "\"\\uD834\\uDD1E\"", "\"\\uDbFf\\udFFf\"",
        "\"\u{7F}\"", "\"é日本🎈\u{10FFFF}\"", "\"\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\"",
        "\"\u{2028}\u{FEFF}\"", "\"0123456789abcdef0123456789abcdef\"",
        "{\"a\":1,\"b\":2,\"A\":3}", "1e400", "-1e-400",
    ]

    @Test(arguments: valid) func validTextIsAccepted(_ text: String) {
        #expect(RecordSupport.jsonFault(text) == nil)
    }

    private static let invalid: [String] = [
        "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-", "+1", "01", "-01", "00", "1.",
        ".5", "1.e1", "1e", "1e+", "0x1", "1 2", "--1", "1_0", "\"", "\"a", "'a'", "\"\\\"",
        "\"\\a\"", "\"\\x41\"", "\"\\u\"", "\"\\u12\"", "\"\\u123g\"", "\"\\U0041\"",
        "\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"", "\"\\uD800\\n\"", "\"\\uD800x\"",
        "\"\\uD800\\uD800\"", "\"\u{1}\"", "\"\t\"", "\"\n\"", "[", "]", "[1", "[1,", "[1,]",
        "[,1]", "[1 2]", "[1;2]", "[1}", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,",
        "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "{\"a\"::1}", "{\"a\":1 \"b\":2}",
        "{\"a\":1]", "{1:2}", "{null:1}", "[]]", "{}{}", "1,", "//", "/*x*/1", "\u{FEFF}",
        "\u{A0}1", "\u{C}1", "\u{B}1", "[1]\u{0}", "\u{0}", "[\u{0}]", "\"\u{0}\"",
    ]

    @Test(arguments: invalid) func invalidTextIsRefused(_ text: String) {
        #expect(RecordSupport.jsonFault(text) != nil)
    }

    private static let invalidUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xED, 0xA0, 0x80],
        [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test(arguments: invalidUTF8) func refusesInvalidUTF8(_ bytes: [UInt8]) throws {
        let quote = UInt8(ascii: "\"")
        for padding in 0..<20 {
            let text = [quote] + [UInt8](repeating: 0x61, count: padding) + bytes + [quote]
            let error = try #require(RecordSupport.jsonFault(text))
            #expect(error.code == .invalidText)
            // The same text as a field name.
            let object = Array("{".utf8) + text + Array(":1}".utf8)
            #expect(RecordSupport.jsonFault(object)?.code == .invalidText)
        }
    }

    @Test func readsNumbersExactly() throws {
        let cases: [(String, JSONKind, Int64?)] = [
            ("9223372036854775807", .int, .max), ("-9223372036854775808", .int, .min),
            ("9223372036854775808", .number, nil), ("-9223372036854775809", .number, nil),
            ("1000000000000000000", .int, 1_000_000_000_000_000_000),
            ("-999999999999999999", .int, -999_999_999_999_999_999), ("-0", .number, nil),
            ("1.0", .number, nil), ("0", .int, 0),
        ]
        for (text, kind, int) in cases {
            try RecordSupport.withJSON(text) { value in
                #expect(value.kind == kind, "\(text)")
                #expect(value.int == int, "\(text)")
                #expect(value.text.string == text)
                #expect(value.double == Double(text))
            }
        }
        try RecordSupport.withJSON("18446744073709551615") { #expect($0.unsigned == .max) }
        try RecordSupport.withJSON("18446744073709551616") { #expect($0.unsigned == nil) }
        try RecordSupport.withJSON("-0") { #expect($0.double?.sign == .minus) }
    }

    @Test func escapesAreDecoded() throws {
        let text = #"["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac\ud83d\ude00","a\u0000b","plain"]"#
        try RecordSupport.withJSON(text) { value in
            let strings = value.children.map(\.text.string)
            #expect(strings == ["\"\\/\u{8}\u{C}\n\r\t", "Aé€😀", "a\u{0}b", "plain"])
            // A second access returns the same text.
            #expect(value.children.map(\.text.string) == strings)
        }
        try RecordSupport.withJSON(#"{"\u0061\n":1,"b":2}"#) { value in
            #expect(value.children.map(\.key.string) == ["a\n", "b"])
            #expect(value.field("b")?.int == 2)
            #expect(value.field("c") == nil)
        }
    }

    @Test func valuesAreVisitedInOrder() throws {
        let text = #"{"a":[1,[2,{"x":[]}],3],"b":{"c":null},"d":true,"e":"s"}"#
        try RecordSupport.withJSON(text) { value in
            #expect(value.count == 4)
            #expect(value.children.map(\.key.string) == ["a", "b", "d", "e"])
            #expect(value.children.map(\.source.string).first == #"[1,[2,{"x":[]}],3]"#)
            #expect(value.field("a")?.children.map(\.kind) == [.int, .array, .int])
            #expect(value.field("b")?.field("c")?.isNull == true)
            #expect(value.field("d")?.bool == true)
            #expect(value.field("e")?.source.string == "\"s\"")
            let tape = value.tape
            let deep = value.field("a")!.children.map { $0 }[1].children.map { $0 }[1]
            #expect(tape.path(to: deep.index) == "a[1][1]")
            #expect(tape.path(to: deep.field("x")!.index) == "a[1][1].x")
        }
    }

    @Test func nestingHasAMaximumDepth() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let fits =
                String(repeating: open, count: 100) + "1" + String(repeating: close, count: 100)
            #expect(RecordSupport.jsonFault(fits) == nil)
            #expect(RecordSupport.jsonFault(open + fits + close)?.code == .limitExceeded)
        }
        #expect(
            RecordSupport.jsonFault(String(repeating: "[", count: 100_000))?.code
                == .limitExceeded)
    }

    @Test func findsRepeatedNames() {
        #expect(RecordSupport.jsonFault(#"{"a":1,"b":2,"a":3}"#)?.code == .duplicateProperty)
        #expect(RecordSupport.jsonFault(#"{"a":1,"\u0061":3}"#)?.code == .duplicateProperty)
        #expect(RecordSupport.jsonFault(#"{"a":{"a":{"a":1}},"b":{"a":1}}"#) == nil)
        for count in [2, 31, 32, 33, 34, 100, 3000] {
            var fields = (0..<count).map { "\"field number \($0)\":{\"x\":\($0)}" }
            #expect(RecordSupport.jsonFault("{" + fields.joined(separator: ",") + "}") == nil)
            fields.insert("\"field number \(count / 2)\":0", at: count)
            let error = RecordSupport.jsonFault("{" + fields.joined(separator: ",") + "}")
            #expect(error?.code == .duplicateProperty)
            #expect(error?.property == "field number \(count / 2)")
        }
    }

    private static let messages: [(String, String)] = [
        (#"{"a":[1,{"b":tru}]}"#, "line 1, column 14: a[1].b: expected a value, got 'tru'"),
        (#"{"é":1,"b" 2}"#, "line 1, column 12: expected ':', got '2'"),
        (#"{"a":{"b":1 "c"}}"#, "line 1, column 13: a: expected ',' or '}', got '\"'"),
        ("[1,2", "line 1, column 5: expected ',' or ']', got the end"),
        (
            "{\"a\":\"x\ty\"}",
            "line 1, column 8: a: expected control characters to be escaped, got byte 0x09"
        ),
        (#"{"a":1,"b":"#, "line 1, column 12: b: expected a value, got the end"),
        (
            #"{"a":"\ud800x"}"#,
            "line 1, column 13: a: expected the second half of a surrogate pair, got 'x'"
        ),
        (#"{"a":1}x"#, "line 1, column 8: expected nothing after the value, got 'x'"),
        (
            #"{"a":[{"b":1,"b":2}]}"#,
            "line 1, column 14: a[0].b: expected each name once, got the same name again"
        ),
        ("{\"a\":\"\u{1F600}", "line 1, column 8: a: expected a closing quote, got the end"),
        ("[01]", "line 1, column 3: [0]: expected no digit after a leading zero, got '1'"),
    ]

    @Test(arguments: messages) func messagesExplainTheError(_ text: String, _ message: String) {
        #expect(RecordSupport.jsonFault(text)?.message == "record 1, " + message)
    }
}
