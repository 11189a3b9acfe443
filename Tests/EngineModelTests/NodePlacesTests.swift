import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Where a commit's nodes go among free extents.
@Suite struct NodePlacesTests {
    /// Free extents, ascending, with something between them.
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

    /// Every node lies in space that was free, by itself, and in one section; what is left is what was
    /// free without them.
    @Test(arguments: 0..<60) func random(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        // Some lie around the end of a section.
        let start = seed % 3 == 0 ? NodeWriter.section - 40_000 : 4096
        let free = Self.extents(
            &random, from: start, count: Int(random.next() % 300),
            upTo: [256, 2048, 30_000][seed % 3])
        var space = FreeSpace(logicalSize: (free.last?.end ?? start) + 64)
        space.giveBack(free)
        let sizes = (0..<1 + Int(random.next() % 400)).map { _ in
            Int(8 + 8 * (random.next() % (random.next() % 20 == 0 ? 2000 : 60)))
        }
        let need = NodeWriter.Need(
            bytes: UInt64(sizes.reduce(0, +)), nodes: UInt64(sizes.count),
            largest: UInt64(sizes.max()!))
        var places = NodePlaces(space, need, extra: random.next() % 3000, page: 4096)
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

    /// Of many extents those are taken that lie close together.
    @Test func emptiestPart() throws {
        var free = (0..<1000).map { Extent(start: UInt64(4096 + 20_000 * $0), count: 1000) }
        free += (0..<40).map { Extent(start: UInt64(30_000_000 + 1500 * $0), count: 1000) }
        var space = FreeSpace(logicalSize: 40_000_000)
        space.giveBack(free)
        let need = NodeWriter.Need(bytes: 20_000, nodes: 100, largest: 200)
        let taken = space.take(need, page: 4096)
        #expect(space.logicalSize == 40_000_000)
        #expect((20...30).contains(taken.extents.count))
        #expect(taken.extents.allSatisfy { $0.start >= 30_000_000 })
    }

    /// Where what is free is little and far apart, the file grows.
    @Test func farApart() throws {
        let free = (0..<1000).map { Extent(start: UInt64(4096 + 20_000 * $0), count: 1000) }
        var space = FreeSpace(logicalSize: 40_000_000)
        space.giveBack(free)
        let need = NodeWriter.Need(bytes: 200_000, nodes: 1000, largest: 200)
        let taken = space.take(need, page: 4096)
        #expect(taken.extents.count == 1)
        #expect(taken.extents[0].start >= 40_000_000)
    }
}
