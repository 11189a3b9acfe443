import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Placement of a commit's nodes in free extents.
@Suite struct NodePlacementTests {
    /// Random free extents, ascending, with gaps between them.
    private static func extents(
        _ random: inout SeededRandom, from start: UInt64, count: Int, upTo size: UInt64
    ) -> [Extent] {
        var extents: [Extent] = []
        var at = start
        for _ in 0..<count {
            at += 8 + 8 * (random.next() % 400)
            let bytes = 8 + 8 * (random.next() % (size / 8))
            extents.append(Extent(start: at, count: bytes))
            at += bytes
        }
        return extents
    }

    private static func bytes(_ extents: [Extent]) -> UInt64 { extents.reduce(0) { $0 + $1.count } }

    /// Every node is placed in free space, without overlaps, and in one section. The remaining free
    /// space is the rest.
    @Test(arguments: 0..<60) func nodesArePlacedInFreeSpaceWithoutOverlap(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        // Some extents are around the end of a section.
        let start = seed % 3 == 0 ? NodeWriter.section - 40_000 : 4096
        let free = Self.extents(
            &random, from: start, count: Int(random.next() % 300),
            upTo: [256, 2048, 30_000][seed % 3])
        var space = FreeSpace(logicalSize: (free.last?.end ?? start) + 64)
        space.addUnused(free)
        let sizes = (0..<1 + Int(random.next() % 400)).map { _ in
            Int(8 + 8 * (random.next() % (random.next() % 20 == 0 ? 2000 : 60)))
        }
        let need = NodeWriter.SpaceEstimate(
            bytes: UInt64(sizes.reduce(0, +)), nodes: UInt64(sizes.count),
            largest: UInt64(sizes.max()!))
        var places = NodePlacement(space, need, extra: 8 * (random.next() % 400), page: 4096)
        var taken: [Extent] = []
        for (i, size) in sizes.enumerated() {
            let (ref, bytes) = try places.place(size)
            bytes.initializeMemory(as: UInt8.self, repeating: UInt8(i & 0xFF), count: size)
            taken.append(Extent(start: ref.raw, count: UInt64(size)))
        }
        let runs = places.runs
        let rest = places.finish()
        for (i, node) in taken.enumerated() {
            #expect(node.start / NodeWriter.section == (node.end - 1) / NodeWriter.section)
            #expect(node.start & 7 == 0)
            let run = try #require(runs.first { $0.start <= node.start && node.end <= $0.end })
            let bytes = run.bytes.bytes[Int(node.start - run.start)...].prefix(Int(node.count))
            #expect(bytes.allSatisfy { $0 == UInt8(i & 0xFF) })
        }
        taken.sort { $0.start < $1.start }
        #expect(zip(taken, taken.dropFirst()).allSatisfy { $0.end <= $1.start })
        // The file may have grown.
        let end = space.logicalSize
        let grown =
            rest.logicalSize > end ? [Extent(start: end, count: rest.logicalSize - end)] : []
        let before = FreeSpace.merged(free, grown)
        #expect(FreeSpace.merged(rest.free, taken) == before)
        #expect(Self.bytes(rest.free) + need.bytes == Self.bytes(before))
    }

    private static func space(_ free: [Extent], _ size: UInt64) -> FreeSpace {
        var space = FreeSpace(logicalSize: size)
        space.addUnused(free)
        return space
    }

    /// Places nodes of the given sizes and returns their offsets.
    private static func place(
        _ sizes: [Int], _ places: inout NodePlacement
    ) throws -> [UInt64] {
        try sizes.map { size in
            let (ref, bytes) = try places.place(size)
            bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            return ref.raw
        }
    }

    /// An extent with room for all nodes and short lists becomes one run, followed by the lists.
    @Test func allNodesFormOneRunInALargeExtent() throws {
        let free = [1000, 9000, 2000, 4000].enumerated().map {
            Extent(start: UInt64(100_000 * ($0 + 1)), count: $1)
        }
        let need = NodeWriter.SpaceEstimate(bytes: 1200, nodes: 3, largest: 400)
        var places = NodePlacement(Self.space(free, 500_000), need, extra: 500, page: 4096)
        let starts = try Self.place([400, 400, 400], &places)
        #expect(starts == [300_000, 300_400, 300_800])
        #expect(places.reserve == nil)
        #expect(places.lastRun?.end == 301_200)
        #expect(places.runs.count == 1)
    }

    /// Long lists get a separate extent, with room for the lists of later commits.
    @Test func longListsGetAReservedExtent() throws {
        let free = [20_000, 17_000].enumerated().map {
            Extent(start: UInt64(100_000 * ($0 + 1)), count: $1)
        }
        let need = NodeWriter.SpaceEstimate(bytes: 800, nodes: 2, largest: 400)
        var places = NodePlacement(Self.space(free, 500_000), need, extra: 4800, page: 4096)
        let starts = try Self.place([400, 400], &places)
        #expect(places.reserve == Extent(start: 200_000, count: 17_000))
        #expect(starts == [100_000, 100_400])
        #expect(places.lastRun == nil)
        #expect(places.finish().free.last == Extent(start: 200_000, count: 17_000))
    }

    /// Lists are placed in the smaller extent next to the newest lists that has room. Nodes are
    /// placed in neither neighbour.
    @Test func listsArePlacedInTheSmallerNeighbourWithRoom() throws {
        let lists = Extent(start: 100_000, count: 10_000)
        let before = Extent(start: 80_000, count: 20_000)
        let behind = Extent(start: 110_000, count: 15_000)
        let other = Extent(start: 500_000, count: 400_000)
        var space = FreeSpace(logicalSize: 1_000_000, lists: lists)
        space.addUnused([before, behind, other])
        for (bytes, reserve) in [(UInt64(12_000), behind), (16_000, before)] {
            var space = space
            let taken = space.takeListSpace(bytes, page: 4096)
            #expect(taken.reserve == reserve)
            #expect(taken.all == [before, behind])
            #expect(space.free.filter { $0.count > 0 } == [other])
        }
        // Neither neighbour has room.
        let taken = space.takeListSpace(30_000, page: 4096)
        #expect(taken.all == [Extent(start: 500_000, count: 105_000)])
        #expect(space.free.prefix(2) == [before, behind])
        #expect(space.logicalSize == 1_000_000)
        // The reserved space begins and ends at aligned offsets.
        var odd = space
        let rounded = odd.takeListSpace(20_008, page: 4096)
        #expect(rounded.all == [Extent(start: 605_000, count: 70_032)])
        // No extent has room: the file grows by the required size.
        let more = space.takeListSpace(300_000, page: 4096)
        #expect(more.all == [Extent(start: 1_000_000, count: 1_052_096)])
        #expect(space.logicalSize == 2_052_096)
    }

    /// Most of a large extent next to the lists is left for nodes.
    @Test func mostOfALargeNeighbourStaysFreeForNodes() throws {
        var space = FreeSpace(logicalSize: 1_000_000, lists: Extent(start: 100_000, count: 8000))
        space.addUnused([
            Extent(start: 10_000, count: 90_000), Extent(start: 108_000, count: 500_000),
        ])
        let taken = space.takeListSpace(10_000, page: 4096)
        let expected = [
            Extent(start: 70_000, count: 30_000), Extent(start: 108_000, count: 30_000),
        ]
        #expect(taken.all == expected)
        #expect(taken.reserve == expected[0])
        #expect(
            space.free == [
                Extent(start: 10_000, count: 60_000), Extent(start: 138_000, count: 470_000),
            ])
    }

    /// Nodes are placed in extents of their size if free space is fragmented.
    @Test func fragmentedSpaceIsUsedByExtentsOfTheSameSize() throws {
        var free = (0..<3200).map { Extent(start: UInt64(4096 + 1500 * $0), count: 200) }
        free += (0..<50).map { Extent(start: UInt64(5_000_000 + 4000 * $0), count: 104) }
        free.append(Extent(start: 6_000_000, count: 500_000))
        let sizes = [104, 200, 104, 200]
        let need = NodeWriter.SpaceEstimate(bytes: 608, nodes: 4, largest: 200)
        var places = NodePlacement(Self.space(free, 6_600_000), need, extra: 0, page: 4096)
        #expect(try Self.place(sizes, &places) == [5_000_000, 4096, 5_004_000, 5596])
        #expect(places.finish().free.count == free.count - 4)
    }

    /// Free space in many small extents is used before the file grows.
    @Test func smallExtentsAreUsedBeforeTheFileGrows() throws {
        let free = (0..<1000).map { Extent(start: UInt64(4096 + 4000 * $0), count: 2000) }
        let sizes = [Int](repeating: 1000, count: 300)
        let need = NodeWriter.SpaceEstimate(bytes: 300_000, nodes: 300, largest: 1000)
        var places = NodePlacement(Self.space(free, 4_100_000), need, extra: 0, page: 4096)
        _ = try Self.place(sizes, &places)
        #expect(places.finish().logicalSize == 4_100_000)
    }

    /// If little space is free, in small extents, the file grows and the commit is one run.
    @Test func theFileGrowsIfLittleSpaceIsFree() throws {
        let free = (0..<100).map { Extent(start: UInt64(4096 + 40_000 * $0), count: 2000) }
        let sizes = [Int](repeating: 1000, count: 300)
        let need = NodeWriter.SpaceEstimate(bytes: 300_000, nodes: 300, largest: 1000)
        var places = NodePlacement(Self.space(free, 4_100_000), need, extra: 0, page: 4096)
        let starts = try Self.place(sizes, &places)
        #expect(starts == sizes.indices.map { UInt64(4_100_000 + 1000 * $0) })
        #expect(places.runs.count == 1)
    }

    /// A range of many extents is filled only if the free space is at least a quarter of the used
    /// bytes; a range of few extents always is.
    @Test func manyExtentsAreUsedOnlyIfMuchSpaceIsFree() throws {
        let sizes = [Int](repeating: 1000, count: 300)
        let need = NodeWriter.SpaceEstimate(bytes: 300_000, nodes: 300, largest: 1000)
        let many = (0..<100).map { Extent(start: UInt64(4096 + 10_000 * $0), count: 4000) }
        var places = NodePlacement(Self.space(many, 4_100_000), need, extra: 0, page: 4096)
        _ = try Self.place(sizes, &places)
        #expect(places.runs.count == 1)
        #expect(places.finish().logicalSize > 4_100_000)
        let few = (0..<6).map { Extent(start: UInt64(4096 + 100_000 * $0), count: 60_000) }
        places = NodePlacement(Self.space(few, 4_100_000), need, extra: 0, page: 4096)
        _ = try Self.place(sizes, &places)
        #expect(places.finish().logicalSize == 4_100_000)
    }

    /// The index finds the same extents by size as a linear search.
    @Test(arguments: 0..<20) func theIndexFindsTheSameExtentsAsALinearSearch(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var free = Self.extents(&random, from: 4096, count: 400, upTo: [512, 1000][seed % 2])
        var index = FreeExtentIndex(free)
        for _ in 0..<600 {
            let size = 8 + 8 * (random.next() % 60)
            let fitting = free.map(\.count).filter {
                $0 == size || $0 >= size + max(16, size / 2)
            }
            let i = index.takeBestFit(size, free)
            #expect((i.map { free[$0].count }) == fitting.min())
            guard let i else { continue }
            free[i].start += size
            free[i].count -= size
            index.insert(i, free[i])
        }
    }
}
