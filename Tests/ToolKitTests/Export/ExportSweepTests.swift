import Testing

@testable import RealmEngine
@testable import ToolKit
@testable import ToolSupport

/// Exports every fixture in every form.
@Suite struct ExportSweepTests {
    private let scratch = ScratchDirectory()

    /// Returns the output of an export of all classes.
    private func export(
        _ path: String, _ values: ValueStyle, _ form: any RecordForm.Type, threads: Int = 1,
        request: FieldRequest = FieldRequest()
    ) throws -> [UInt8] {
        let database = try Database(immutable: path)
        var plans: [RecordPlan] = []
        for table in database.schema.classes {
            var planner = RecordPlanner(table, database.schema, request, values)
            plans.append(try planner.plan())
        }
        var export = Export(
            database: database, plans: plans, values: values,
            records: RecordStyle(form))
        export.threads = threads
        let name = scratch.file("out")
        let output = try OutputFile(path: name, force: true)
        _ = try export.run(VerifiedOutput(output, database))
        try output.commit()
        return contents(of: name) ?? []
    }

    private var extended: ValueStyle {
        var style = ValueStyle()
        style.types = .extended
        return style
    }

    @Test(arguments: QueryRun.all)
    func everyRecordIsValidJSON(path: String) throws {
        var request = FieldRequest()
        request.namesClass = true
        request.hasKeys = true
        request.hasBacklinks = true
        for style in [ValueStyle(), extended] {
            let whole = try #require(
                try StrictJSON(try export(path, style, JSONForm.self, request: request)).array)
            let lines = try export(path, style, NDJSONForm.self, request: request)
                .split(separator: UInt8(ascii: "\n"))
            #expect(whole.count == lines.count)
            for (record, line) in zip(whole, lines) {
                #expect(try StrictJSON(Array(line)) == record)
            }
        }
    }

    @Test(arguments: QueryRun.all)
    func csvRecordsHaveEqualNumbersOfFields(path: String) throws {
        for style in [ValueStyle(), extended] {
            let database = try Database(immutable: path)
            for table in database.schema.classes where !table.columns.isEmpty {
                let run = try records(path, table.className, style)
                #expect(run.first == table.columns.map(\.name))
                #expect(run.allSatisfy { $0.count == table.columns.count })
                let count = try database.snapshot().table(table).count()
                #expect(run.count == count + 1)
            }
        }
    }

    /// Exports a class as csv and parses the records with a reader for RFC 4180.
    private func records(
        _ path: String, _ name: String, _ style: ValueStyle
    ) throws -> [[String]] {
        let database = try Database(immutable: path)
        let table = try #require(database.schema.table(named: name))
        var planner = RecordPlanner(table, database.schema, FieldRequest(), style)
        let export = Export(
            database: database, plans: [try planner.plan()], values: style,
            records: RecordStyle(CSVForm.self))
        let output = try OutputFile(path: scratch.file("csv"), force: true)
        _ = try export.run(VerifiedOutput(output, database))
        try output.commit()
        return Self.parse(contents(of: scratch.file("csv")) ?? [])
    }

    private static func parse(_ bytes: [UInt8]) -> [[String]] {
        var records: [[String]] = []
        var (record, field, isQuoted, at) = ([String](), [UInt8](), false, 0)
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\"") where isQuoted && at < bytes.count && bytes[at] == byte:
                field.append(byte)
                at += 1
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                record.append(String(decoding: field, as: UTF8.self))
                field = []
            case UInt8(ascii: "\n") where !isQuoted:
                records.append(record + [String(decoding: field, as: UTF8.self)])
                (record, field) = ([], [])
            default: field.append(byte)
            }
        }
        return records
    }

    /// Text with characters that some format has to escape.
    @Test func specialCharactersArePreserved() throws {
        let texts = [
            "two\nlines", "\r\n", "say \"hi\"", "a,b;c", "", " ", "nul\0inside", "tab\there",
            "😀 日本",
            "\u{1B}[31m", "back\\slash", "null", "\\N", "\u{7F}\u{85}\u{2028}",
        ]
        let path = try LargeFile.make(in: scratch, texts: texts)
        let plain = try records(path, "Text", ValueStyle()).dropFirst().map { $0[0] }
        #expect(plain == texts)
        for style in [ValueStyle(), extended] {
            let lines = try export(path, style, NDJSONForm.self).split(
                separator: UInt8(ascii: "\n"))
            let found = try lines.map { try StrictJSON(Array($0)) }.compactMap { $0["text"] }
            #expect(found == texts.map { .string($0) })
        }
        let tsv = try export(path, ValueStyle(), TSVForm.self).split(separator: UInt8(ascii: "\n"))
        #expect(tsv.count == texts.count + 1 - 1, "the empty string is an empty line")
        let database = try Database(immutable: path)
        let table = try #require(database.schema.table(named: "Text"))
        var planner = RecordPlanner(table, database.schema, FieldRequest(), ValueStyle())
        let plan = try planner.plan()
        var raw = Export(
            database: database, plans: [plan], values: ValueStyle(),
            records: RecordStyle(RawForm.self))
        raw.records.terminator = 1
        let output = try OutputFile(path: scratch.file("raw"), force: true)
        _ = try raw.run(VerifiedOutput(output, database))
        try output.commit()
        #expect(
            contents(of: scratch.file("raw")) == texts.flatMap { Array($0.utf8) + [1] })
    }

    /// More rows than in one batch: several workers print them in order.
    @Test func outputDoesNotDependOnThreads() throws {
        let path = try LargeFile.make(in: scratch, objects: 40_000)
        for form: any RecordForm.Type in [
            NDJSONForm.self, JSONForm.self, CSVForm.self, TSVForm.self,
        ] {
            let alone = try export(path, ValueStyle(), form)
            for threads in [2, 3, 8] {
                #expect(try export(path, ValueStyle(), form, threads: threads) == alone)
            }
        }
        #expect(
            try export(path, ValueStyle(), NDJSONForm.self).count { $0 == UInt8(ascii: "\n") }
                == 40_001)
    }

    /// Large sorted results are rendered in another order than they are printed in.
    @Test(arguments: ["-half", "half", "number"]) func sortedObjectsArePrintedInOrder(
        order: String
    ) throws {
        let path = try LargeFile.make(in: scratch, objects: 5000)
        let lines = QueryRun.text(["-fndjson", path, "Big"]).split(separator: "\n")
        let expected = order.hasPrefix("-") ? lines.reversed() : Array(lines)
        for words in [["-j1"], ["-j3"], ["-j1", "--max-memory", "100KiB"]] {
            let sorted = QueryRun.text(["-fndjson", "-s", order] + words + [path, "Big"])
            #expect(sorted.split(separator: "\n") == expected, "\(words)")
        }
        let batch = ToolProcess.shell(
            "echo '{\"sort\":\"\(order)\",\"offset\":1,\"limit\":4000}' | $TOOL --batch \(path) Big"
        )
        let objects = expected.dropFirst().prefix(4000).joined(separator: ",")
        #expect(batch.text == "{\"count\":4000,\"objects\":[\(objects)]}\n")
    }

    @Test func limitsAndOffsetsSelectObjects() throws {
        let path = try LargeFile.make(in: scratch, objects: 3000)
        let whole = QueryRun.text(["-a", path]).split(separator: "\n")
        for (offset, limit) in [(0, 1), (255, 2), (256, 256), (2999, 5), (3000, 5), (1, 9999)] {
            let part = QueryRun.text(["-a", "--offset", "\(offset)", "-L\(limit)", path])
            #expect(part.split(separator: "\n") == Array(whole.dropFirst(offset).prefix(limit)))
        }
    }
}

/// A database with a large class, `Big`, and a class `Tiny` with one object that links to it.
enum LargeFile {
    static func make(in scratch: ScratchDirectory, objects: Int) throws -> String {
        let path = scratch.file("large.realm")
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let big = try transaction.createClass("Big")
        try transaction.addProperty(big, PropertySpec("number", .int))
        try transaction.addProperty(big, PropertySpec("half", .double))
        let tiny = try transaction.createClass("Tiny")
        var link = PropertySpec("first", .link)
        link.target = big
        try transaction.addProperty(tiny, link)
        var first = ObjectKey.none
        for i in 0..<objects {
            let key = try transaction.create(in: big)
            if i == 0 { first = key }
            try transaction.set(big, key, 0, .int(Int64(i) * Int64(i)))
            try transaction.set(big, key, 1, .double(Double(i) / 2))
        }
        let key = try transaction.create(in: tiny)
        try transaction.set(tiny, key, 0, .link(ObjectLink(table: big, key: first)))
        try transaction.commit()
        return path
    }

    /// Makes a database with a class `Text` that has an object for each text.
    static func make(in scratch: ScratchDirectory, texts: [String]) throws -> String {
        let path = scratch.file("text.realm")
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let table = try transaction.createClass("Text")
        try transaction.addProperty(table, PropertySpec("text", .string))
        for text in texts {
            let key = try transaction.create(in: table)
            try Array((text + ".").utf8).withUnsafeBytes { bytes in
                let view = ByteView(bytes.baseAddress!, count: bytes.count - 1)
                try transaction.set(table, key, 0, .string(view))
            }
        }
        try transaction.commit()
        return path
    }
}
