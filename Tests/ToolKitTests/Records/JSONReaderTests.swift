import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// Records of a stream, for any sizes of reads.
@Suite struct JSONReaderTests {
    @Test(arguments: [(16, 1), (16, 3), (64, 7), (1 << 16, .max)])
    func readsLines(window: Int, step: Int) throws {
        let text = "\u{FEFF}{\"a\":1}\n\n \t\r\n[2]\r\n  {\"b\": \"xé\"}  \n{\"a\":\n1}\n3\n4"
        #expect(
            try RecordSupport.events(text, .lines, window: window, step: step) == [
                "{\"a\":1}", "[2]", "{\"b\": \"xé\"}",
                "record 4, line 6, column 6: a: expected a value, got the end",
                "record 5, line 7, column 2: expected nothing after the value, got '}'", "3", "4",
            ])
        #expect(try RecordSupport.events("", .lines, window: window, step: step) == [])
        #expect(try RecordSupport.events("\n\n", .lines, window: window, step: step) == [])
    }

    @Test(arguments: [(16, 1), (16, 3), (64, 7), (1 << 16, .max)])
    func readsArrays(window: Int, step: Int) throws {
        func events(_ text: String) throws -> [String] {
            try RecordSupport.events(text, .array, window: window, step: step)
        }
        let long = "\"" + String(repeating: "long ", count: 500) + "\""
        #expect(
            try events(" \u{A}[ {\"a\":1} ,\n [2,\n3],4567,\(long),true ] \n")
                == ["{\"a\":1}", "[2,\n3]", "4567", long, "true"])
        #expect(try events("[]") == [])
        #expect(try events("\u{FEFF}[\n]\n") == [])
        #expect(
            try events("{\"a\":1}")
                == ["record 1, line 1, column 1: expected '[' of an array of records, got '{'"])
        #expect(
            try events("[1,\n2 x]")
                == ["1", "2", "record 3, line 2, column 3: expected ',' or ']', got 'x'"])
        #expect(
            try events("[1,]") == ["1", "record 2, line 1, column 4: expected a value, got ']'"])
        #expect(
            try events("[{\"é\":1,\n\"b\":tru}]")
                == ["record 1, line 2, column 5: b: expected a value, got 'tru'"])
        #expect(
            try events("[1,{\"a\":") == [
                "1", "record 2, line 1, column 9: a: expected a value, got the end",
            ])
        #expect(
            try events("[1") == [
                "1", "record 2, line 1, column 3: expected ',' or ']', got the end",
            ])
        #expect(
            try events("[1]\n\n2")
                == ["1", "record 2, line 3, column 1: expected nothing after the array, got '2'"])
        #expect(
            try events("")
                == ["record 1, line 1, column 1: expected '[' of an array of records, got the end"])
    }

    @Test(arguments: [(16, 1), (16, 5), (1 << 16, .max)])
    func recordsHaveAMaximumSize(window: Int, step: Int) throws {
        var limits = JSONReader.Limits()
        limits.recordSize = 20
        let fits = "\"" + String(repeating: "x", count: 18) + "\""
        let tooLarge = "\"" + String(repeating: "x", count: 200) + "\""
        let lines = "\(fits)\n\(tooLarge)\n1\n\(tooLarge)"
        let refusal = ", column 1: expected a record of at most 20 bytes, got a larger one"
        #expect(
            try RecordSupport.events(lines, .lines, window: window, step: step, limits: limits)
                == [fits, "record 2, line 2" + refusal, "1", "record 4, line 4" + refusal])
        let events = try RecordSupport.events(
            "[\(fits),\n\(tooLarge),1]", .array, window: window, step: step, limits: limits)
        #expect(events == [fits, "record 2, line 2" + refusal])
    }

    @Test func errorsNameTheInvalidValue() throws {
        let source = ByteSource(bytes: Array("{}\n{\"a\":[1,\n{\"b\":[true,\"x\"]}]}".utf8))
        let reader = JSONReader(source, layout: .lines)
        _ = try reader.next()
        let text = "[{},\n {\"a\":[1,\n {\"é\":[true,\"xyz\"]}]}]"
        let array = JSONReader(ByteSource(bytes: Array(text.utf8)), layout: .array)
        _ = try array.next()
        guard case .record(let value) = try array.next() else {
            Issue.record("no record")
            return
        }
        let inner = value.field("a")!.children.map { $0 }[1].field("é")!.children.map { $0 }[1]
        let error = array.error(ValueMismatch(inner, expected: "int"))
        #expect(
            error.message
                == "record 2, line 3, column 13: a[1].é[1]: expected int, got string \"xyz\"")
        #expect(array.recordBytes.string == "{\"a\":[1,\n {\"é\":[true,\"xyz\"]}]}")
    }

    @Test func readsFromPipes() throws {
        let lines = (0..<30_000).map { "{\"number\":\($0),\"text\":\"some text of a record\"}" }
        let bytes = Array(lines.joined(separator: "\n").utf8)
        try RecordSupport.withPipe(carrying: bytes) { descriptor in
            let source = ByteSource(descriptor: descriptor, path: "-")
            let reader = JSONReader(source, layout: .lines)
            var sum: Int64 = 0
            while case .record(let value) = try reader.next() {
                sum += value.field("number")?.int ?? 0
            }
            #expect(sum == 30_000 * 29_999 / 2)
            #expect(reader.recordNumber == 30_000)
            #expect(source.bytesRead == bytes.count)
        }
    }

    /// A reader is ready only when a whole line is available.
    @Test func waitsForWholeLines() throws {
        try RecordSupport.withPipe(carrying: nil) { descriptor in
            let source = ByteSource(descriptor: descriptor, path: "-")
            #expect(!source.isReady(within: 10))
        }
        let halves = ByteSource(bytes: Array("1\n2\n34".utf8), maximumReadSize: 3)
        let reader = JSONReader(halves, layout: .lines)
        for number: Int64 in [1, 2, 34] {
            #expect(reader.isReady(within: 0))
            guard case .record(let value) = try reader.next() else { break }
            #expect(value.int == number)
        }
        guard case .end = try reader.next() else {
            Issue.record("more than three records")
            return
        }
    }

    /// Skipped records are counted like records that are read, including malformed ones.
    @Test func skippedRecordsAreCounted() throws {
        let reader = JSONReader(
            ByteSource(bytes: Array("{\"a\":1}\n\n{]\n  3\n4".utf8)), layout: .lines)
        var passed: [String] = []
        while case .record = try reader.skip() {
            passed.append("\(reader.recordNumber) \(reader.recordBytes.string)")
        }
        #expect(passed == ["1 {\"a\":1}", "2 {]", "3   3", "4 4"])
    }

    @Test func reportsUnreadableInput() throws {
        let source = ByteSource(descriptor: -1, path: "in.json")
        let reader = JSONReader(source, layout: .lines)
        let error = #expect(throws: RealmError.self) { _ = try reader.next() }
        #expect(error?.kind == .input)
        #expect(error?.file == "in.json")
    }

    @Test func findsNamesInAnyOrder() {
        let names = FieldNames(["a", "bb", "", "long name of a field"])
        func index(_ name: String, _ place: Int) -> Int? {
            var name = name
            return name.withUTF8 { text in
                let base = UnsafeRawPointer(text.baseAddress ?? UnsafePointer(bitPattern: 8)!)
                return names.index(of: ByteView(base, count: text.count), at: place)
            }
        }
        for _ in 0..<3 {
            #expect(index("a", 0) == 0)
            #expect(index("unknown", 1) == nil)
            #expect(index("bb", 2) == 1)
            #expect(index("long name of a field", 7000) == 3)
            #expect(index("", 3) == 2)
            #expect(index("bb", 0) == 1)
        }
        for i in 0..<1000 { #expect(index("unknown \(i)", i) == nil) }
        #expect(index("bb", 900) == 1)
    }
}
