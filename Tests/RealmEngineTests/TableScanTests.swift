import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Scans, look-ups and sizes, compared with reading single values.
@Suite struct TableScanTests {
    private static let fixtures = ["objects/all-types-2-compacted.realm", "query/social.realm"]

    private func open(_ name: String) throws -> Database {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        let root = parts.dropLast(2).joined(separator: "/")
        return try Database(immutable: root + "/Fixtures/" + name)
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .string(let view), .binary(let view): "\(view.bytes)"
        default: "\(value)"
        }
    }

    @Test(arguments: fixtures)
    func scannedValuesEqualValuesReadByRow(name: String) throws {
        let snapshot = try open(name).snapshot()
        for info in snapshot.schema.tables {
            let table = snapshot.table(info)
            let columns = Array(info.columns.indices)
            let scan = table.scan(columns: columns)
            var count = 0
            while try scan.next() {
                #expect(scan.position == count)
                count += scan.count
                for row in 0..<scan.count {
                    let key = scan.key(row)
                    let own = try #require(try table.row(key))
                    for column in columns {
                        #expect(
                            text(try scan.value(row: row, column: column))
                                == text(try own.value(column)))
                    }
                }
            }
            #expect(try table.count() == count)
        }
    }

    @Test(arguments: fixtures)
    func seekFindsEveryObjectInAnyOrder(name: String) throws {
        let snapshot = try open(name).snapshot()
        for info in snapshot.schema.tables where !info.columns.isEmpty {
            let table = snapshot.table(info)
            let scan = table.scan(columns: [0])
            let keys = try table.keys()
            for key in keys.reversed() + keys + keys.shuffled() {
                let row = try #require(try scan.seek(key))
                #expect(scan.key(row) == key)
                let own = try #require(try table.row(key))
                #expect(text(try scan.value(row: row, column: 0)) == text(try own.value(0)))
            }
            #expect(try scan.seek(ObjectKey(1 << 60)) == nil)
        }
    }

    @Test(arguments: fixtures)
    func leavesCoverTheTable(name: String) throws {
        let database = try open(name)
        let (snapshot, other) = (database.snapshot(), database.snapshot())
        for info in database.schema.tables {
            var leaves = snapshot.table(info).leaves()
            let scan = other.table(info).scan(columns: [])
            var keys: [ObjectKey] = []
            while let part = try leaves.nextPart() {
                #expect(part.position == keys.count)
                try scan.open(part)
                #expect(scan.count == part.count)
                keys += (0..<scan.count).map { scan.key($0) }
            }
            #expect(keys == (try snapshot.table(info).keys()))
        }
    }

    @Test(arguments: fixtures)
    func tablesAreSmallerThanTheirFile(name: String) throws {
        let database = try open(name)
        let snapshot = database.snapshot()
        let sizes = try database.schema.tables.map { (info) throws(RealmError) in
            try snapshot.table(info).byteSize()
        }
        #expect(sizes.allSatisfy { $0 > 0 && $0 % 8 == 0 })
        #expect(sizes.reduce(0, +) < database.header.fileSize)
    }
}
