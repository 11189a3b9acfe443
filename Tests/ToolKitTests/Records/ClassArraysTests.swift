import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// JSON by class becomes an array of records, for any division into reads.
struct ClassArraysTests {
    private static func text(_ input: String, step: Int) throws -> String {
        let source = ByteSource(
            ClassArrays(
                ByteSource(bytes: Array(input.utf8), maximumReadSize: step), field: "$class"))
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 5)
        while true {
            let count = try piece.withUnsafeMutableBytes {
                try source.read(into: $0.baseAddress!, capacity: 5)
            }
            if count == 0 { return String(decoding: result, as: UTF8.self) }
            result += piece[..<count]
        }
    }

    @Test(arguments: [1, 3, 64]) func recordsGetTheClassOfTheirArray(step: Int) throws {
        let cases = [
            (
                #"{"A":[{"x":1},{"y":"]}\"{"}],"B":[{}]}"#,
                #"[{"$class":"A","x":1},{"$class":"A","y":"]}\"{"},{"$class":"B"}]"#
            ),
            (
                #" { "A\"q" : [ { "x" : [ { } ] } ] , "B" : [ ] } "#,
                #"[  {"$class":"A\"q", "x" : [ { } ] }    ] "#
            ),
            ("{\n\"A\": [\n{\"x\":1}\n]\n}\n", "[\n\n{\"$class\":\"A\",\"x\":1}\n\n]\n"),
            (#"{"A":[]}"#, "[]"), (#"{"A":[],"B":[{"x":1}]}"#, #"[{"$class":"B","x":1}]"#),
        ]
        for (input, expected) in cases {
            let text = try Self.text(input, step: step)
            // Spaces between records may change.
            #expect(text.filter { $0 != " " } == expected.filter { $0 != " " }, "\(input)")
        }
    }

    @Test(arguments: [1, 3, 64]) func otherTextStaysUnchanged(step: Int) throws {
        for text in [
            "", " ", "[{\"a\":1}]", "{", "{}", "{\"a\":1}", "{\"a\" 1}", "{\"a", "x{}",
            "{\"a\":{\"b\":[]}}",
            "\u{FEFF}[1]",
        ] {
            #expect(try Self.text(text, step: step) == text)
        }
    }

    @Test func malformedInputStaysInvalid() throws {
        // Malformed input must not become valid JSON.
        for text in [
            #"{"A":[{"x":1}"#, #"{"A":[{"x":1}]"#, #"{"A":[1]}"#, #"{"A":[{"x":1}],5}"#,
            #"{"A":[{"x":1}],"B":{}}"#, #"{"A":[{"x":1}]]"#, #"{"A":[{"x":1}],"B"}"#,
        ] {
            let result = try Self.text(text, step: 64)
            #expect((try? StrictJSON(result)) == nil, "\(text) became \(result)")
        }
    }
}
