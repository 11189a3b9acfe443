import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The free list that a commit builds.
@Suite struct FreeSpaceTests {
    private static let logicalSize: UInt64 = 1 << 20

    /// Ascending extents of 56 bytes at multiples of 64, which neither overlap nor touch.
    private static func extents(_ numbers: [Int]) -> [Extent] {
        numbers.map { Extent(start: UInt64($0) * 64 + 24, count: 56) }
    }

    private static func space(_ free: [Extent]) -> FreeSpace {
        var space = FreeSpace(logicalSize: logicalSize)
        space.addUnused(free)
        return space
    }

    private static func chunks(
        _ space: FreeSpace, adding released: [Extent], version: UInt64
    ) throws -> [FreeSpace.Chunk] {
        var chunks: [FreeSpace.Chunk] = []
        try space.visitChunks(adding: released, version: version) {
            chunks.append(FreeSpace.Chunk(start: $0, count: $1, version: $2))
        }
        return chunks
    }

    /// The union of two lists contains each extent once, and merges touching extents.
    @Test(arguments: 0..<20) func unionsContainEachExtentOnce(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var lists: [[Extent]] = [[], []]
        var at: UInt64 = 24
        for _ in 0..<Int(random.next() % 200) {
            let count = 8 + 8 * (random.next() % 50)
            lists[Int(random.next() % 2)].append(Extent(start: at, count: count))
            at += count + 8 * (random.next() % 3)
        }
        var expected: [Extent] = []
        for extent in (lists[0] + lists[1]).sorted(by: { $0.start < $1.start }) {
            if let last = expected.last, last.end == extent.start {
                expected[expected.count - 1].count += extent.count
            } else {
                expected.append(extent)
            }
        }
        #expect(FreeSpace.merged(lists[0], lists[1]) == expected)
        #expect(FreeSpace.merged(lists[1], lists[0]) == expected)
        let first = FreeSpace.merged(lists[0], [])
        #expect(FreeSpace.joined(first, lists[1]) == expected)
        #expect(FreeSpace.joined([], lists[0]) == first)
    }

    /// The list contains free and released extents in ascending order.
    @Test func listsContainFreeAndReleasedExtents() throws {
        let space = Self.space(Self.extents([1, 2, 5, 9]))
        let chunks = try Self.chunks(space, adding: Self.extents([0, 3, 4, 10]), version: 7)
        #expect(chunks.map(\.start) == Self.extents([0, 1, 2, 3, 4, 5, 9, 10]).map(\.start))
        #expect(chunks.map(\.version) == [7, 0, 0, 7, 7, 0, 0, 7])
        #expect(chunks.allSatisfy { $0.count == 56 })
    }

    /// Extents that were taken are not listed, wherever they are.
    @Test func takenExtentsAreNotListed() throws {
        var space = Self.space(Self.extents(Array(0..<100)))
        let first = space.take(try #require(space.bestFit(40)))
        let second = space.take(try #require(space.bestFit(40)))
        #expect(first != second)
        space.addUnused([])
        let listed = try Self.chunks(space, adding: [], version: 2)
        #expect(listed.count == 98)
        #expect(!listed.contains { $0.start == first.start || $0.start == second.start })
        space.addUnused([second])
        #expect(space.free.count == 99)
        #expect(space.extent(from: second.start) == second)
    }

    /// A list that is too long omits the smallest chunks.
    @Test func longListsOmitTheSmallestChunks() throws {
        var space = FreeSpace(logicalSize: Self.logicalSize)
        func extents(_ numbers: Range<Int>) -> [Extent] {
            numbers.map { Extent(start: UInt64(24 + 512 * $0), count: UInt64(8 + 8 * ($0 % 50))) }
        }
        space.addUnused(extents(0..<1000))
        var released = extents(1000..<2000)
        let limit: UInt64 = 10_000
        ListWriter.shorten(&space, &released, 5, limit: limit)
        #expect(ListWriter.bound(space, released, 5) <= limit)
        let left = space.free + released
        #expect(left.count > 700)
        #expect(left.allSatisfy { $0.count > 8 + 8 * 20 })
        // A list that is short enough does not change.
        let before = left.count
        ListWriter.shorten(&space, &released, 5, limit: limit)
        #expect(space.free.count + released.count == before)
    }

    /// A list with overlapping extents, or extents outside of the file, is rejected.
    @Test func refusesOverlaps() throws {
        let space = Self.space(Self.extents([1, 2, 5]))
        let wrong = [
            Extent(start: 80, count: 64), Extent(start: 5 * 64 + 32, count: 8),
            Extent(start: 8, count: 8), Extent(start: Self.logicalSize - 8, count: 16),
        ]
        for extent in wrong {
            #expect(throws: RealmError.self) {
                try Self.chunks(space, adding: [extent], version: 2)
            }
        }
        #expect(throws: RealmError.self) {
            try Self.chunks(space, adding: Self.extents([7, 7]), version: 2)
        }
    }

    /// Chunks without bytes, at unaligned offsets, before the first node or beyond the version's
    /// end are rejected.
    @Test(arguments: [16, 28, -8, 1 << 24] as [Int32]) func refusesMalformedStart(
        _ value: Int32
    ) throws {
        try Self.refuses(value) { $0.freePositions }
    }

    @Test(arguments: [0, 4, -8, 1 << 24] as [Int32]) func refusesMalformedLength(
        _ value: Int32
    ) throws {
        try Self.refuses(value) { $0.freeLengths }
    }

    /// Sets the first element of the array that `list` selects to `value`, and expects rejection.
    private static func refuses(_ value: Int32, in list: (TopArray) -> Ref) throws {
        let folder = try ScratchFolder()
        let path = folder.file("chunks.realm")
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        for name in ["A", "B", "C"] {
            let transaction = try session.begin()
            _ = try transaction.createClass(name, primaryKey: PropertySpec("id", .int))
            try transaction.commit()
        }
        let top = try #require(session.database.newest.top)
        let mapping = session.database.file.mapping
        var bytes = [UInt8](UnsafeRawBufferPointer(start: mapping.base, count: mapping.mapped))
        func chunks() throws -> Int {
            try bytes.withUnsafeBytes { bytes in
                let file = try MappedFile(copying: bytes, path: path)
                let memory = ReadContext(file.mapping, limit: top.logicalSize)
                defer { withExtendedLifetime(memory) {} }
                return try FreeSpace.chunks(memory.lookup, top).count
            }
        }
        #expect(try chunks() > 0)
        let at = Int(list(top).raw) + NodeView.headerSize
        withUnsafeBytes(of: value.littleEndian) {
            bytes.replaceSubrange(at..<at + $0.count, with: $0)
        }
        #expect(throws: RealmError.self) { try chunks() }
    }
}
