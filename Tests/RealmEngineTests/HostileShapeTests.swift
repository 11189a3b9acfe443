import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Trees that contain themselves, announce more elements than they have, or have endless elements
/// of width 0; and valid files that look similar.
@Suite struct HostileShapeTests {
    static func list(_ name: String, _ type: ColumnType) -> CraftedFile.Column {
        CraftedFile.Column(name: name, type: type, attributes: .list)
    }

    /// Makes a table of one list column whose only object has the list at `root`.
    static func file(_ type: ColumnType, _ root: (inout CraftedFile) -> UInt64) -> CraftedFile {
        var file = CraftedFile()
        let ref = root(&file)
        let cells = file.words(CraftedFile.refs, [ref])
        let cluster = file.cluster(count: 1, [cells])
        file.table("class_A", [list("l", type)], root: cluster)
        return file
    }

    @Test func aListThatContainsItselfIsDamage() {
        let file = Self.file(.mixed) { file in
            // The word of a list in pool 4, index 0.
            let words = file.integers([4 << 5 | 20])
            let refs = file.words(CraftedFile.refs, [file.next + 16])
            return file.words(CraftedFile.refs, [words, 0, 0, 0, refs, 0])
        }
        #expect(HostileNodeTests.isDamaged(file))
    }

    @Test func millionsOfElementsOfWidthZeroAreDamage() {
        let file = Self.file(.int) { $0.node(0, count: 0xFF_FFFF, []) }
        #expect(HostileNodeTests.isDamaged(file))
    }

    /// A valid file can have a thousand elements of width 0.
    @Test func aThousandElementsOfWidthZeroAreRead() {
        let file = Self.file(.int) { $0.node(0, count: 1000, []) }
        let outcome = HostileCase.read(file.finished())
        #expect(outcome.error == nil && outcome.values > 1000)
    }

    /// Makes levels that contain the next level a hundred times: 100^levels leaves in a few
    /// kilobytes.
    static func bush(_ file: inout CraftedFile, leaf: UInt64, levels: Int, total: UInt64) -> UInt64
    {
        var below = leaf
        for _ in 0..<levels {
            below = file.words(
                CraftedFile.inner,
                [CraftedFile.tag(1)] + [UInt64](repeating: below, count: 100)
                    + [CraftedFile.tag(total)])
        }
        return below
    }

    @Test(arguments: [0, 1, 1000, 100_000, 1 << 40] as [UInt64])
    func sharedBranchesOfAListAreDamage(_ total: UInt64) throws {
        for elements in 0...1 {
            let file = Self.file(.int) { file in
                let leaf = file.integers([Int64](repeating: 5, count: elements))
                return Self.bush(&file, leaf: leaf, levels: 8, total: total)
            }
            #expect(HostileNodeTests.isDamaged(file))
            try Self.expectBoundedLookUp(file)
        }
    }

    /// Expects that a look-up ends at the announced total, since it has no budget.
    static func expectBoundedLookUp(_ file: CraftedFile) throws {
        let bytes = file.finished()
        let database = try bytes.withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "crafted"))
        }
        let snapshot = database.snapshot()
        let row = try #require(try snapshot.table(database.schema.tables[0]).row(ObjectKey(0)))
        guard case .list(let view) = try row.value(0) else { throw RealmError.misuse("no list") }
        var count = 0
        #expect(throws: RealmError.self) {
            var cursor = snapshot.elements(of: view)
            while try cursor.next() != nil { count += 1 }
        }
        #expect(count <= 128 * bytes.count)
    }

    @Test(arguments: [0, 1, 256, 100_000, 1 << 40] as [UInt64])
    func sharedBranchesOfATableAreDamage(_ total: UInt64) {
        for objects in 0...1 {
            var file = CraftedFile()
            let column = file.integers([Int64](repeating: 5, count: objects))
            var below = file.cluster(count: objects, [column])
            for depth in 1...8 {
                below = file.words(
                    CraftedFile.inner,
                    [0, CraftedFile.tag(UInt64(depth)), CraftedFile.tag(total)]
                        + [UInt64](repeating: below, count: 100))
            }
            // The schema version is read from this table when the file is opened.
            file.table("metadata", [.init(name: "version", type: .int)], root: below)
            #expect(HostileNodeTests.isDamaged(file))
        }
    }

    @Test func aTreeOfUnevenDepthIsDamage() {
        let file = Self.file(.int) { file in
            let leaf = file.integers([1])
            let inner = file.words(
                CraftedFile.inner, [CraftedFile.tag(1), leaf, CraftedFile.tag(1)])
            return file.words(
                CraftedFile.inner, [CraftedFile.tag(1), leaf, inner, CraftedFile.tag(2)])
        }
        #expect(HostileNodeTests.isDamaged(file))
    }

    @Test(arguments: [0, 1, 3, 4] as [UInt64])
    func aWrongTotalOfAListIsDamage(_ total: UInt64) {
        let file = Self.file(.int) { file in
            let leaves = [file.integers([1]), file.integers([2])]
            return file.words(
                CraftedFile.inner, [CraftedFile.tag(1)] + leaves + [CraftedFile.tag(total)])
        }
        #expect(HostileNodeTests.isDamaged(file))
    }

    /// Extreme numbers must not overflow on the way to a leaf.
    @Test(arguments: [1, 1 << 40, 1 << 45, 1 << 48, 1 << 62] as [UInt64])
    func extremeElementCountsDoNotOverflow(_ perChild: UInt64) throws {
        var file = CraftedFile()
        let leaf = file.integers([1, 2])
        let root = file.words(
            CraftedFile.inner,
            [CraftedFile.tag(perChild), leaf, leaf, leaf, CraftedFile.tag(6)])
        let bytes = file.finished()
        try bytes.withUnsafeBytes { buffer in
            let mapping = try Mapping(copying: buffer)
            let memory = ReadContext(base: mapping.base, limit: UInt64(bytes.count))
            try withExtendedLifetime((mapping, memory)) {
                let tree = BPlusTree(space: memory.lookup, root: Ref(root))
                for index in [0, 1, 5, 1 << 40, 1 << 50, .max] {
                    let found = try tree.leaf(containing: index)
                    #expect(found.start <= index)
                }
            }
        }
    }

    /// Every valid file can be read completely, and reads the same without its free space.
    @Test(
        arguments: Fixtures.files("query", ".realm") + Fixtures.files("objects", "compacted.realm"))
    func soundFilesAreReadCompletely(_ url: URL) throws {
        let seed = try HostileSeed(
            name: url.lastPathComponent, bytes: [UInt8](Data(contentsOf: url)))
        let whole = HostileCase.read(seed.bytes)
        #expect(whole.error == nil, "\(whole.error?.message ?? "")")
        #expect(whole.unindexed == 0)
        if let tight = try seed.tightened() {
            let outcome = HostileCase.read(tight.bytes)
            #expect(outcome.error == nil && outcome.digest == whole.digest)
        }
    }

    /// A walk may read a large value many times, singly or by leaf.
    @Test func aLargeValueMayBeReadManyTimes() throws {
        let file = HostileNodeTests.file(.init(name: "b", type: .binary), count: 1) { file in
            let blob = file.blob([UInt8](repeating: 7, count: 500_000))
            return file.words(CraftedFile.refs | CraftedFile.context, [blob])
        }
        let database = try file.finished().withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "crafted"))
        }
        let snapshot = database.snapshot()
        let scan = snapshot.table(database.schema.tables[0]).scan(columns: [0])
        snapshot.beginWalk()
        #expect(try scan.next())
        for _ in 0..<100 {
            guard case .binary(let value) = try scan.value(row: 0, column: 0),
                case .binary(let same) = try scan.row(0).value(0)
            else { throw RealmError.misuse("no value") }
            #expect(value.count == 500_000 && value == same)
        }
    }

    /// The pools of a mixed leaf are opened for each value without charging the walk's budget.
    @Test func poolsOfAMixedLeafAreNotCharged() throws {
        var file = CraftedFile()
        let leaves = (0..<40).map { _ in
            let words = file.integers((0..<256).map { $0 << 8 | 1 << 5 | 11 })
            let numbers = file.integers((0..<256).map { $0 << 40 })
            let mixed = file.words(CraftedFile.refs, [words, numbers, 0, 0, 0, 0])
            return file.cluster(count: 256, [mixed])
        }
        let root = file.words(
            CraftedFile.inner, [0, CraftedFile.tag(1), CraftedFile.tag(256 * 40)] + leaves)
        file.table("class_A", [.init(name: "m", type: .mixed)], root: root)
        let outcome = HostileCase.read(file.finished())
        #expect(outcome.error == nil && outcome.values >= 2 * 256 * 40)
    }
}
