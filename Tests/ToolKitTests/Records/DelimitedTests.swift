import Foundation
import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// CSV and TSV: fields, nulls, rejected rows, and the position at which reading continues.
@Suite struct DelimitedTests {
    /// A row as its fields (nil for null), or a rejected row as its message.
    private enum Event: Equatable {
        case row([String?])
        case refused(String)
    }

    private static let readings: [(Int, Int)] = [(16, 1), (16, 3), (64, 7), (1 << 16, .max)]

    private func events(
        _ bytes: [UInt8], _ dialect: Dialect, _ reading: (window: Int, step: Int),
        limit: Int = 1 << 20
    ) throws -> [Event] {
        let reader = DelimitedReader(
            ByteSource(bytes: bytes, maximumReadSize: reading.step), dialect: dialect,
            recordLimit: limit, windowSize: reading.window)
        var events: [Event] = []
        switch try reader.readHeader() {
        case .record(let names): events.append(.row(names))
        case .rejected(let error): events.append(.refused(error.message))
        case .end: break
        }
        for _ in 0...bytes.count {
            switch try reader.next() {
            case .record(let row):
                let fields = (0..<row.count).map {
                    row.isNull($0) ? nil : row.text($0).string
                }
                events.append(.row(fields))
            case .rejected(let error): events.append(.refused(error.message))
            case .end: return events
            }
        }
        Issue.record("the reader does not end")
        return events
    }

    @Test(arguments: readings) func readsCSV(window: Int, step: Int) throws {
        let text = """
            \u{FEFF}id,name,"a ""note\"""\r
            1,Ada,plain\r

            2,,""
            3,"x, y","two
            lines ""quoted\"""
            "",é日本🎈,"\u{0}"
            4, spaced ,\u{0}\u{1}
            a,b,
            """
        #expect(
            try events(Array(text.utf8), .csv, (window, step)) == [
                .row(["id", "name", "a \"note\""]), .row(["1", "Ada", "plain"]),
                .row(["2", nil, ""]), .row(["3", "x, y", "two\nlines \"quoted\""]),
                .row(["", "é日本🎈", "\u{0}"]), .row(["4", " spaced ", "\u{0}\u{1}"]),
                .row(["a", "b", nil]),
            ])
    }

    @Test(arguments: readings) func readsTSV(window: Int, step: Int) throws {
        let text = "id\tna\\tme\tc\n1\t\\N\t\n\n2\t\\\\N\ta\\tb\\nc\\rd\\\\\r\n\"\tx,y\té"
        #expect(
            try events(Array(text.utf8), .tsv, (window, step)) == [
                .row(["id", "na\tme", "c"]), .row(["1", nil, ""]),
                .row(["2", "\\N", "a\tb\nc\rd\\"]), .row(["\"", "x,y", "é"]),
            ])
    }

    @Test(arguments: readings) func keepsEmptyLinesOfOneColumn(window: Int, step: Int) throws {
        #expect(
            try events(Array("\na\n1\n\n\"\"\n".utf8), .csv, (window, step))
                == [.row(["a"]), .row(["1"]), .row([nil]), .row([""])])
        #expect(
            try events(Array("a\n1\n\n\\N\n".utf8), .tsv, (window, step))
                == [.row(["a"]), .row(["1"]), .row([""]), .row([nil])])
    }

    @Test(arguments: readings) func refusedRowsAreFollowedByValidOnes(window: Int, step: Int) throws
    {
        let text = "a,b\n1\n1,2,3\n5\" x,y\n\"5\" x,y\n1\r2,3\n4,5\n6,\"no end\n7,8\n"
        let quotes = "expected a field with quotes to be in quotes, got '\"'"
        let trailing = "expected ',' or the end of the line after the closing quote, got ' '"
        #expect(
            try events(Array(text.utf8), .csv, (window, step)) == [
                .row(["a", "b"]),
                .refused("record 1, line 2, column 1: expected 2 fields, got 1 field"),
                .refused("record 2, line 3, column 1: expected 2 fields, got 3 fields"),
                .refused("record 3, line 4, column 2: a: " + quotes),
                .refused("record 4, line 5, column 4: a: " + trailing),
                .refused(
                    "record 5, line 6, column 2: b: expected a line feed after the carriage "
                        + "return, got byte 0x0D"),
                .row(["4", "5"]),
                .refused("record 7, line 8, column 3: b: expected a closing quote, got the end"),
            ])
        let tabs = "a\tb\n\\x\t1\n1\t\\Nx\n1\tx\\N\n1\tx\\\n2\t3"
        let escapes = "expected one of \\t \\n \\r \\\\, or \\N alone, got "
        #expect(
            try events(Array(tabs.utf8), .tsv, (window, step)) == [
                .row(["a", "b"]), .refused("record 1, line 2, column 2: a: " + escapes + "'x'"),
                .refused("record 2, line 3, column 4: b: " + escapes + "'Nx'"),
                .refused("record 3, line 4, column 5: b: " + escapes + "'N'"),
                .refused("record 4, line 5, column 5: b: " + escapes + "byte 0x0A"),
                .row(["2", "3"]),
            ])
        let bytes = Array("a,b\nx,y".utf8) + [0xC3, 0x28] + Array("\n1,2".utf8)
        #expect(
            try events(bytes, .csv, (window, step)) == [
                .row(["a", "b"]),
                .refused("record 1, line 2, column 4: b: expected UTF-8, got byte 0xC3"),
                .row(["1", "2"]),
            ])
    }

    @Test(arguments: readings) func refusesBadHeaders(window: Int, step: Int) throws {
        let cases = [
            ("a,a\n1,2", "expected a name for each column, got \"a\" twice"),
            (",\n1,2", "expected names of columns, got empty ones"),
            ("\"a", "expected a closing quote, got the end"),
        ]
        for (text, message) in cases {
            let events = try events(Array(text.utf8), .csv, (window, step))
            #expect(events == [.refused("record 0, line 1, column 1: " + message)])
        }
        #expect(try events([], .csv, (window, step)) == [])
    }

    @Test(arguments: readings) func guessesTheSeparatorFromTheHeader(window: Int, step: Int) throws
    {
        for separator in [";", "\t", "|"] {
            let text = "a\(separator)\"b c\"\n1,5\(separator)x\n"
            let events = try events(Array(text.utf8), .csv, (window, step))
            #expect(events == [.row(["a", "b c"]), .row(["1,5", "x"])], "\(separator)")
        }
        #expect(
            try events(Array("a b\n1;2\n".utf8), .csv, (window, step))
                == [.row(["a b"]), .row(["1;2"])])
        #expect(
            try events(Array("a;b,c\n1;2,3\n".utf8), .csv, (window, step))
                == [.row(["a;b", "c"]), .row(["1;2", "3"])])
        let tabs = Dialect.quoted(separator: 9)
        #expect(
            try events(Array("a;b\t\"c\td\"\n1\t\n".utf8), tabs, (window, step))
                == [.row(["a;b", "c\td"]), .row(["1", nil])])
    }

    @Test(arguments: readings) func readsLinesThatEndInCarriageReturns(window: Int, step: Int)
        throws
    {
        let text = "a,b\r1,\"x\ny\"\r\r2,\r3\r4,5"
        #expect(
            try events(Array(text.utf8), .csv, (window, step)) == [
                .row(["a", "b"]), .row(["1", "x\ny"]), .row(["2", nil]),
                .refused("record 3, line 5, column 1: expected 2 fields, got 1 field"),
                .row(["4", "5"]),
            ])
    }

    @Test(arguments: readings) func fillsRaggedRows(window: Int, step: Int) throws {
        var dialect = Dialect.csv
        dialect.isRagged = true
        #expect(
            try events(Array("a,b,c\n1\n1,2,3,,\n1,2,3,4\n1,2\n".utf8), dialect, (window, step))
                == [
                    .row(["a", "b", "c"]), .row(["1", nil, nil]), .row(["1", "2", "3"]),
                    .refused("record 3, line 4, column 1: expected 3 fields, got 4 fields"),
                    .row(["1", "2", nil]),
                ])
    }

    @Test func takesColumnsWithoutNames() throws {
        #expect(
            try events(Array(",a,\n0,x,\n".utf8), .csv, (1 << 16, .max))
                == [.row(["", "a", ""]), .row(["0", "x", nil])])
        #expect(FieldNames.named(["", "a", ""]) == ["1", "a", "3"])
    }

    @Test func readsDecimalCommasBetweenSemicolons() throws {
        let text = "a;b;c\n3,14;-0,5;1,2,3\n1.5;1,5e3;1.234,5\n"
        let reader = DelimitedReader(ByteSource(bytes: Array(text.utf8)), dialect: .csv)
        _ = try reader.readHeader()
        _ = try reader.next()
        #expect(
            "\(try reader.scalar(0, as: .double, isNullable: false))" == "\(Value.double(3.14))")
        #expect("\(try reader.scalar(1, as: .float, isNullable: false))" == "\(Value.float(-0.5))")
        #expect(throws: RecordError.self) { try reader.scalar(2, as: .double, isNullable: false) }
        #expect(throws: RecordError.self) { try reader.scalar(0, as: .int, isNullable: false) }
        _ = try reader.next()
        #expect("\(try reader.scalar(0, as: .double, isNullable: false))" == "\(Value.double(1.5))")
        #expect(
            "\(try reader.scalar(1, as: .double, isNullable: false))" == "\(Value.double(1500))")
        #expect(throws: RecordError.self) { try reader.scalar(2, as: .double, isNullable: false) }
    }

    @Test(arguments: readings) func recordsHaveAMaximumSize(window: Int, step: Int) throws {
        let text = "a,b\n1,2\n\"" + String(repeating: "x", count: 5000) + "\",2\n3,4"
        let message = "expected a record of at most 100 bytes, got a larger one"
        #expect(
            try events(Array(text.utf8), .csv, (window, step), limit: 100) == [
                .row(["a", "b"]), .row(["1", "2"]),
                .refused("record 2, line 3, column 1: " + message),
            ])
    }

    @Test func fieldsConvertToTheirTypes() throws {
        let text = "a,b,c\n17,,x y\n1.5,2,3\n"
        let reader = DelimitedReader(ByteSource(bytes: Array(text.utf8)), dialect: .csv)
        _ = try reader.readHeader()
        _ = try reader.next()
        guard case .int(17) = try reader.scalar(0, as: .int, isNullable: false),
            case .null = try reader.scalar(1, as: .int, isNullable: true),
            case .string(let empty) = try reader.scalar(1, as: .string, isNullable: false),
            empty.count == 0
        else {
            Issue.record("wrong values")
            return
        }
        let null = #expect(throws: RecordError.self) {
            _ = try reader.scalar(1, as: .int, isNullable: false)
        }
        #expect(null?.message == "record 1, line 2, column 4: b: expected int, got null")
        _ = try reader.next()
        let error = #expect(throws: RecordError.self) {
            _ = try reader.scalar(0, as: .int, isNullable: false)
        }
        #expect(error?.message == "record 2, line 3, column 1: a: expected int, got \"1.5\"")
    }

    @Test func writtenRowsAreReadBack() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("DelimitedTests.writtenRowsAreReadBack seed \(seed)")
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "\"", ",", "\n", "\r\n", "\t", "\\", "\\N", "é", "", " ", "\u{0}",
            "long enough to span",
        ]
        for _ in 0..<RecordSupport.scaled(500) {
            let width = Int.random(in: 1...5, using: &random)
            let names = (0..<width).map { "column \($0)" }
            var rows: [Event] = [.row(names)]
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                rows.append(
                    .row(
                        (0..<width).map { _ in
                            if Int.random(in: 0..<4, using: &random) == 0 { return nil }
                            let length = Int.random(in: 0..<6, using: &random)
                            return (0..<length).map { _ in
                                pieces.randomElement(using: &random)!
                            }.joined()
                        }))
            }
            for dialect in [Dialect.csv, .tsv] {
                let bytes = Self.write(rows, dialect)
                let reading = Self.readings.randomElement(using: &random)!
                #expect(try events(bytes, dialect, reading) == rows)
            }
        }
    }

    private static func write(_ rows: [Event], _ dialect: Dialect) -> [UInt8] {
        var text = ""
        for case .row(let fields) in rows {
            text += fields.map { field in
                switch dialect.escapes {
                case .quotes: field.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" } ?? ""
                case .backslashes:
                    field.map {
                        $0.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
                    } ?? "\\N"
                }
            }.joined(separator: dialect == .csv ? "," : "\t")
            text += "\n"
        }
        return Array(text.utf8)
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\",
    ]

    @Test func readsSurviveDamage() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("DelimitedTests.readsSurviveDamage seed \(seed)")
        var random = SeededRandom(seed: seed)
        let seeds = [
            "_id,name,note\n1,Ada,\"x \"\"y\"\"\"\n2,,\"\"\r\n3,\"two\nlines\",é\n",
            "_id\tname\tnote\n1\t\\N\tx\\ty\n2\t\tb\\\\\r\n3\té\t\\n\n",
        ].map { Array($0.utf8) }
        let pieces: [UInt8] = [0x22, 0x2C, 0x0A, 0x0D, 0x09, 0x5C, 0x4E, 0xC3, 0xA9, 0, 0x61]
        for _ in 0..<RecordSupport.scaled(100_000) {
            var bytes = seeds.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(pieces.randomElement(using: &random)!, at: place)
                case 2: bytes[place] = pieces.randomElement(using: &random)!
                default: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                }
                if bytes.isEmpty { bytes = [0x61] }
            }
            let dialect: Dialect = Bool.random(using: &random) ? .csv : .tsv
            let reading = Self.readings.randomElement(using: &random)!
            let first = try events(bytes, dialect, reading, limit: 64)
            let second = try events(bytes, dialect, (1 << 12, .max), limit: 64)
            #expect(first == second, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}
