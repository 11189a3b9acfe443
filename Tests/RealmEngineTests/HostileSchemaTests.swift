import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Contradictory schemas, and names that only look equal.
@Suite struct HostileSchemaTests {
    typealias Column = CraftedFile.Column

    static func file(_ columns: [Column], primaryKey: Int? = nil) -> CraftedFile {
        var file = CraftedFile()
        let root = file.cluster(count: 0, columns.map { _ in file.integers([]) })
        file.table("class_A", columns, root: root, primaryKey: primaryKey)
        return file
    }

    static func schema(_ file: CraftedFile) throws -> Schema {
        try file.finished().withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "crafted")).schema
        }
    }

    static func isDamaged(_ file: CraftedFile) -> Bool {
        do {
            _ = try schema(file)
            return false
        } catch let error as RealmError { return error.kind == .corrupt } catch { return false }
    }

    @Test func soundSchemaIsRead() throws {
        let file = Self.file(
            [Column(name: "id", type: .int), Column(name: "m", type: .mixed)], primaryKey: 0)
        let table = try #require(try Self.schema(file).table(named: "A"))
        #expect(table.primaryKey == 0 && table.columnIndex(named: "m") == 1)
    }

    @Test func twoColumnsOfOneNameAreDamage() {
        #expect(
            Self.isDamaged(
                Self.file([Column(name: "a", type: .int), Column(name: "a", type: .int)])))
    }

    @Test func twoColumnsOfOneLeafAreDamage() {
        #expect(
            Self.isDamaged(
                Self.file([
                    Column(name: "a", type: .int, leafIndex: 1),
                    Column(name: "b", type: .int, leafIndex: 0),
                ])) == false)
        #expect(
            Self.isDamaged(
                Self.file([
                    Column(name: "a", type: .int, leafIndex: 1),
                    Column(name: "b", type: .int, leafIndex: 1),
                ])))
    }

    @Test func twoTablesOfOneNameAreDamage() {
        var file = Self.file([])
        let root = file.cluster(count: 0, [])
        file.table("class_A", [], root: root)
        #expect(Self.isDamaged(file))
    }

    @Test func aPrimaryKeyOfAnInvalidTypeIsDamage() {
        #expect(Self.isDamaged(Self.file([Column(name: "m", type: .mixed)], primaryKey: 0)))
        #expect(
            Self.isDamaged(
                Self.file([Column(name: "l", type: .int, attributes: .list)], primaryKey: 0)))
    }

    @Test(arguments: [ColumnType.double, .float, .decimal, .binary])
    func anIndexOnAnUnsupportedTypeIsDamage(_ type: ColumnType) {
        #expect(Self.isDamaged(Self.file([Column(name: "x", type: type, index: 24)])))
        #expect(!Self.isDamaged(Self.file([Column(name: "x", type: .int, index: 24)])))
    }

    /// Names are compared by bytes: composed and decomposed letters are different properties, and
    /// each is found.
    @Test func canonicallyEquivalentNamesAreDifferent() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let file = Self.file([
            Column(name: composed, type: .int), Column(name: decomposed, type: .string),
        ])
        let table = try #require(try Self.schema(file).table(named: "A"))
        #expect(table.columnIndex(named: composed) == 0)
        #expect(table.columnIndex(named: decomposed) == 1)
    }

    /// A class may have the name of an internal table, in any order.
    @Test func aClassMayHaveTheNameOfAnInternalTable() throws {
        var file = CraftedFile()
        for name in ["metadata", "class_metadata", "class_pk", "pk"] {
            let root = file.cluster(count: 0, [])
            file.table(name, [], root: root)
        }
        let schema = try Self.schema(file)
        #expect(schema.table(named: "metadata")?.name == "class_metadata")
        #expect(schema.table(named: "pk")?.name == "class_pk")
    }

    /// If thousands of tables could share one spec, the schema would have thousands of times its
    /// columns.
    @Test func aSharedSpecIsDamage() {
        var file = CraftedFile()
        let columns = (0..<2000).map { Column(name: "c\($0)", type: .int) }
        let root = file.cluster(count: 0, [])
        file.table("class_A", columns, root: root)
        for i in 0..<500 { file.tableSharingFirstSpec("class_B\(i)", root: root) }
        #expect(Self.isDamaged(file))
    }
}
