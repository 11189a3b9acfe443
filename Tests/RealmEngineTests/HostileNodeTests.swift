import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Nodes of a form that contradicts their use: each must end in `corrupt`.
@Suite struct HostileNodeTests {
    static func isDamaged(_ file: CraftedFile) -> Bool { isDamaged(file.finished()) }

    static func isDamaged(_ bytes: [UInt8]) -> Bool {
        let outcome = HostileCase.read(bytes)
        #expect(outcome.complaint == nil)
        return outcome.error?.kind == .corrupt
    }

    static func words(_ words: [UInt64]) -> [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }

    /// Makes a table of one column whose single leaf is `leaf`.
    static func file(
        _ column: CraftedFile.Column, count: Int, _ leaf: (inout CraftedFile) -> UInt64
    ) -> CraftedFile {
        var file = CraftedFile()
        let ref = leaf(&file)
        let root = file.cluster(count: count, [ref])
        file.table("class_A", [column], root: root)
        return file
    }

    @Test func craftedFileIsSound() throws {
        let file = Self.file(.init(name: "n", type: .int), count: 2) { $0.integers([7, -8]) }
        let outcome = HostileCase.read(file.finished())
        #expect(outcome.error == nil && outcome.values == 4)
    }

    /// With a byte count as width type, a node is eight times smaller than its elements. Such nodes
    /// are the end of the file, so that reading all elements leaves the mapping.
    @Test func innerClusterOffsetsOfByteTypeAreDamage() throws {
        let bytes = CraftedFile.ending(
            CraftedFile.blob | 7, count: 200, Self.words((0..<25).map { $0 })
        ) { file, offsets in
            let column = file.integers([1])
            let leaves = (0..<200).map { _ in file.cluster(count: 1, [column]) }
            let root = file.words(
                CraftedFile.inner, [offsets, CraftedFile.tag(1), CraftedFile.tag(200)] + leaves)
            file.table("class_A", [.init(name: "n", type: .int)], root: root)
        }
        #expect(Self.isDamaged(bytes))
        let database = try bytes.withUnsafeBytes {
            try Database(MappedFile(copying: $0, path: "crafted"))
        }
        #expect(throws: RealmError.self) {
            try database.snapshot().table(database.schema.tables[0]).row(ObjectKey(.max))
        }
    }

    @Test func distinctValueRefsOfByteTypeAreDamage() {
        let bytes = CraftedFile.ending(
            CraftedFile.refs | CraftedFile.blob | CraftedFile.context | 7, count: 100,
            [UInt8](repeating: 0, count: 100)
        ) { file, list in
            let root = file.cluster(count: 1, [file.integers([99])])
            file.table("class_A", [.init(name: "s", type: .string, distinct: list)], root: root)
        }
        #expect(Self.isDamaged(bytes))
    }

    @Test func aByteAreaOfBitsIsDamage() {
        let bytes = CraftedFile.ending(
            1, count: 1 << 14, [UInt8](repeating: 0, count: 1 << 11)
        ) { file, area in
            let parts = [file.integers([1 << 14]), area, file.integers([0])]
            let root = file.cluster(count: 1, [file.words(CraftedFile.refs, parts)])
            file.table("class_A", [.init(name: "s", type: .string)], root: root)
        }
        #expect(Self.isDamaged(bytes))
    }

    @Test func longValuePartsOfByteTypeAreDamage() {
        // The first node of the file is a part; the list references it 13 times and claims 104
        // parts.
        let first = UInt64(RawHeader.size)
        let bytes = CraftedFile.ending(
            CraftedFile.refs | CraftedFile.blob | CraftedFile.context | 7, count: 104,
            Self.words([UInt64](repeating: first, count: 13))
        ) { file, parts in
            _ = file.blob([1, 2, 3])
            let leaf = file.words(CraftedFile.refs | CraftedFile.context, [parts])
            let root = file.cluster(count: 1, [leaf])
            file.table("class_A", [.init(name: "b", type: .binary)], root: root)
        }
        #expect(Self.isDamaged(bytes))
    }

    @Test func aFractionalNumberOfObjectIDsIsDamage() {
        let file = Self.file(.init(name: "i", type: .objectID), count: 1) {
            $0.node(CraftedFile.byteCells | 1, count: 20, [UInt8](repeating: 0, count: 20))
        }
        #expect(Self.isDamaged(file))
    }

    @Test(arguments: [[1, 1_000_000_000], [1, -5], [-1, 5], [0, Int64(1) << 32]] as [[Int64]])
    func timestampsOutOfRangeAreDamage(_ parts: [Int64]) {
        let file = Self.file(.init(name: "t", type: .timestamp), count: 1) { file in
            let seconds = file.integers([99, parts[0]])
            return file.words(CraftedFile.refs, [seconds, file.integers([parts[1]])])
        }
        #expect(Self.isDamaged(file))
    }

    @Test func anInnerNodeInPlaceOfALeafIsDamage() {
        let file = Self.file(.init(name: "l", type: .int, attributes: .list), count: 3) {
            $0.words(CraftedFile.inner, [0, 0, 0])
        }
        #expect(Self.isDamaged(file))
    }

    @Test func aLiveObjectWithATombstoneKeyIsDamage() {
        var file = CraftedFile()
        let keys = file.integers([-7])
        let root = file.words(CraftedFile.refs, [keys, file.integers([1])])
        file.table("class_A", [.init(name: "n", type: .int)], root: root)
        #expect(Self.isDamaged(file))
    }

    /// Two lists with the same parts: the values are longer than the file, or a part is read twice.
    @Test func longValuesThatSharePartsAreDamage() {
        let file = Self.file(.init(name: "b", type: .binary), count: 8) { file in
            let part = file.blob([UInt8](repeating: 1, count: 8000))
            let values = (0..<8).map { _ in
                file.words(CraftedFile.refs | CraftedFile.context, [part])
            }
            return file.words(CraftedFile.refs | CraftedFile.context, values)
        }
        #expect(Self.isDamaged(file))
    }

    @Test func failedJoinIsNotCached() throws {
        let joined = JoinedBlobs()
        let failure = RealmError.corrupt("on purpose", in: "test")
        #expect(throws: RealmError.self) {
            _ = try joined.bytes(of: Ref(8), count: 4, limit: 100) { _ throws(RealmError) in
                throw failure
            }
        }
        let bytes = try joined.bytes(of: Ref(8), count: 4, limit: 100) { memory in
            memory.storeBytes(of: 0x0403_0201, as: UInt32.self)
        }
        #expect(bytes.load(as: UInt32.self) == 0x0403_0201)
    }

    @Test func mappingAFileThatIsTooLargeThrows() throws {
        let file = try File(reading: Fixtures.files("query", ".realm")[0].path)
        let descriptor = file.descriptor
        for size in [Int.max, Int.max - 4095, 1 << 57] {
            #expect(throws: RealmError.self) { _ = try Mapping(descriptor, size: size, path: "x") }
        }
    }
}
