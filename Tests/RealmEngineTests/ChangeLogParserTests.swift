import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Parses changesets of the reference engine and of this engine, and malformed ones.
@Suite struct ChangeLogParserTests {
    typealias Instruction = ChangeLogParser.Instruction

    private func parse(_ bytes: [UInt8]) throws -> [Instruction] {
        try bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return [] }
            var parser = ChangeLogParser(ByteView(base, count: buffer.count))
            var all: [Instruction] = []
            while let instruction = try parser.next() { all.append(instruction) }
            return all
        }
    }

    @Test func parsesLogsOfTheReference() throws {
        #expect(
            try parse([0x01, 0x00, 0x01, 0x01, 0x0A, 0x00, 0x00, 0x14, 0x00]) == [
                .insertTable(TableKey(0)), .insertTable(TableKey(1)), .selectTable(TableKey(0)),
                .insertColumn(ColumnKey(0)),
            ])
        #expect(
            try parse([0x0A, 0x00, 0x00, 0x0B, 0xD0, 0x01]) == [
                .selectTable(TableKey(0)), .createObject(ObjectKey(208)),
            ])
        #expect(
            try parse([
                0x0A, 0x00, 0x00, 0x1E, 0x81, 0x80, 0x80, 0xC0, 0x00, 0x00, 0x1F, 0x00, 0x1F, 0x01,
                0x21, 0x00, 0x01, 0x20, 0x00, 0x23, 0x00,
            ]) == [
                .selectTable(TableKey(0)),
                .selectCollection(ColumnKey(134_217_729), ObjectKey(0), path: []),
                .collectionInsert(0), .collectionInsert(1), .collectionMove(from: 0, to: 1),
                .collectionSet(0), .collectionErase(0),
            ])
        #expect(
            try parse([
                0x0A, 0x00, 0x00, 0x2D, 0x83, 0x80, 0x98, 0x20, 0x00, 0x01, 0x49, 0x1F, 0x00,
            ]) == [
                .selectTable(TableKey(0)),
                .selectCollection(ColumnKey(67_502_083), ObjectKey(0), path: [-10]),
                .collectionInsert(0),
            ])
        #expect(try parse([]) == [])
    }

    @Test func parsesIntegersOfEveryLength() throws {
        let cases: [([UInt8], Int64)] = [
            ([0x00], 0), ([0x40], -1), ([0x3F], 63), ([0x7F], -64), ([0xC0, 0x00], 64),
            ([0xC0, 0x40], -65), ([0xFF, 0x3F], 8191), ([0x80, 0xC0, 0x00], 8192),
            ([UInt8](repeating: 0xFF, count: 9) + [0x00], .max),
            ([UInt8](repeating: 0xFF, count: 9) + [0x40], .min),
            ([UInt8](repeating: 0xFF, count: 8) + [0x3F], Int64.max >> 1),
            ([UInt8](repeating: 0x80, count: 9) + [0x00], 0),
            ([UInt8](repeating: 0x80, count: 9) + [0x40], -1), ([0xC1, 0x80, 0x00], 65),
        ]
        for (bytes, number) in cases {
            #expect(
                try parse([0x0A, 0x00, 0x00, 0x0B] + bytes).last
                    == .createObject(ObjectKey(number)))
        }
    }

    @Test func parsesLegacyInstructions() throws {
        let select: [UInt8] = [0x0A, 0x00, 0x00, 0x1E, 0x00, 0x00]
        let entry: [UInt8] = [0x02, 0x03, 0x61, 0x62, 0x63, 0x05]
        let cases: [([UInt8], Instruction)] = [
            ([37] + entry, .collectionInsert(5)), ([38] + entry, .collectionSet(5)),
            ([39] + entry, .collectionErase(5)), ([40, 7], .collectionInsert(7)),
            ([41, 7], .collectionErase(7)), ([42, 7], .collectionClear(oldCount: 7)),
            ([44, 7], .collectionClear(oldCount: 7)), ([36, 7], .collectionClear(oldCount: 7)),
            ([43, 1, 2], .typedLinkChange(ColumnKey(1), TableKey(2))),
        ]
        for (bytes, instruction) in cases {
            #expect(try parse(select + bytes).last == instruction)
        }
    }

    @Test func parsesWhatTheWriterWrites() throws {
        var log = ChangeLogWriter()
        let (table, column, object) = (TableKey(70000), ColumnKey(1 << 40), ObjectKey(-5))
        log.insertTable(table)
        log.set(table, column, object)
        log.change(table, column, object, .clear(1 << 33))
        log.typedLinkChange(table, column, TableKey(3))
        #expect(
            try parse(Array(log.bytes)) == [
                .insertTable(table), .selectTable(table), .set(column, object),
                .selectCollection(column, object, path: []), .collectionClear(oldCount: 1 << 33),
                .typedLinkChange(column, TableKey(3)),
            ])
    }

    @Test(
        arguments: [
            [0], [4], [14], [15], [23], [34], [46], [255], [11, 0], [31, 0], [10, 1, 0], [10, 0],
            [10, 0, 0, 14], [10, 0, 0, 31, 0], [10, 0, 0x80], [1, 0x40],
            [1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x3F], [10, 0, 0, 30, 0, 0, 37, 3, 1, 65, 0],
            [10, 0, 0, 30, 0, 0, 37, 2, 60, 65, 0], [10, 0, 0, 45, 0, 0, 0],
            [10, 0, 0, 45, 0, 0, 63, 1],
            [10, 0, 0, 11] + [UInt8](repeating: 0xFF, count: 11) + [0],
            [10, 0, 0, 11] + [UInt8](repeating: 0x80, count: 9) + [0x01],
            [10, 0, 0, 11] + [UInt8](repeating: 0x80, count: 9) + [0x42],
            [10, 0, 0, 11] + [UInt8](repeating: 0x80, count: 9) + [0x3F],
            [10, 0, 0, 11] + [UInt8](repeating: 0x80, count: 10) + [0],
            // Selecting a table deselects the collection.
            [10, 0, 0, 30, 0, 0, 10, 0, 1, 31, 0],
        ] as [[UInt8]]) func rejectsMalformedLogs(_ bytes: [UInt8])
    {
        #expect(throws: RealmError.self) { try parse(bytes) }
    }
}
