import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Writing nodes from the slab to the file, and the extents that a commit frees.
@Suite struct NodeWriterTests {
    /// A leaf, or a node that references another node of the slab in one of its slots.
    private indirect enum Tree {
        case leaf([Int64])
        case node(slots: [UInt64], child: Int, Tree)
    }

    private static func tree(depth: Int, _ random: RandomValues) -> Tree {
        if depth == 0 { return .leaf((0..<100).map { _ in random.integer() }) }
        let count = depth % 3 == 2 ? 1 : 1000
        let slots = (0..<count).map { _ -> UInt64 in
            switch random.below(3) {
            case 0: 0
            case 1: NodeEncoder.tag(random.below(1 << 30))
            default: UInt64(24 + 8 * random.below(1000))
            }
        }
        return .node(
            slots: slots, child: random.below(count), tree(depth: depth - 1, random))
    }

    private static func store(_ tree: Tree, _ encoder: NodeEncoder) throws -> Ref {
        switch tree {
        case .leaf(let numbers): return try encoder.integers(numbers)
        case .node(var slots, let child, let below):
            slots[child] = try store(below, encoder).raw
            return try encoder.refs(slots, flags: NodeView.innerFlag)
        }
    }

    private static func check(_ tree: Tree, _ ref: Ref, _ space: NodeSpace) throws {
        let node = try space.node(ref)
        switch tree {
        case .leaf(let numbers):
            try #require(node.count == numbers.count && !node.hasRefs)
            #expect(numbers.indices.allSatisfy { node.integer($0) == numbers[$0] })
        case .node(let slots, let child, let below):
            try #require(node.count == slots.count && node.hasRefs && node.isInner)
            #expect(node.width < 64)
            #expect(slots.indices.allSatisfy { $0 == child || node.slot($0).raw == slots[$0] })
            try check(below, try #require(node.slot(child).child), space)
        }
    }

    /// Nested nodes with more slots in total than the writer initially has room for.
    @Test func deepTreesAreWrittenCompletely() throws {
        let lab = try EditLab()
        let tree = Self.tree(depth: 24, RandomValues(seed: 5))
        let root = try Self.store(tree, lab.context.encoder)
        var order = NodeOrder(lab.context.space, lab.context.slab, fileSize: 8192)
        for ref in [Ref.none, Ref(24), root] { try order.add(ref) }
        var writer = NodeWriter(order, free: FreeSpace(logicalSize: 8192), page: 4096)
        let all = try writer.write()
        #expect(all[..<2] == [Ref.none, Ref(24)])
        let written = all[2]
        let size = Int(writer.finish().logicalSize)
        let file = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        defer { file.deallocate() }
        for run in writer.runs {
            UnsafeMutableRawBufferPointer(rebasing: file[Int(run.start)...]).copyMemory(
                from: run.bytes.bytes)
        }
        let memory = ReadContext(base: UnsafeRawPointer(file.baseAddress!), limit: UInt64(size))
        try withExtendedLifetime(memory) { try Self.check(tree, written, memory.lookup) }
    }

    /// The expected sizes of nodes equal the written sizes, even if refs become shorter.
    @Test func expectedSizesEqualWrittenSizes() throws {
        let lab = try EditLab()
        let encoder = lab.context.encoder
        let leaves = try (0..<40).map { try encoder.integers([Int64($0), 1000]).raw }
        let root = try encoder.refs(leaves, flags: NodeView.innerFlag)
        let file = FreeSpace(logicalSize: 100_000)
        var order = NodeOrder(
            lab.context.space, lab.context.slab, fileSize: file.logicalSize)
        try order.add(root)
        var writer = NodeWriter(order, free: file, page: 4096)
        _ = try writer.write()
        let written = writer.runs.reduce(0) { $0 + $1.bytes.count }
        #expect(order.need.bytes == UInt64(written))
        #expect(order.need.nodes == 41)
    }

    /// Adjacent extents are merged, at any offset and of any length.
    @Test(arguments: [UInt64(0), 1 << 41])
    func adjacentExtentsAreMerged(_ base: UInt64) {
        let random = RandomValues(seed: 9)
        var extents: [Extent] = []
        var expected: [Extent] = []
        var at = base + 24
        for i in 0..<2000 {
            let isApart = i == 0 || random.below(4) == 0
            if isApart { at += UInt64(8 + 8 * random.below(50)) }
            let count = UInt64(8 + 8 * random.below(i == 77 ? 1 << 22 : 200))
            extents.append(Extent(start: at, count: count))
            if isApart {
                expected.append(Extent(start: at, count: count))
            } else {
                expected[expected.count - 1].count += count
            }
            at += count
        }
        var order = SeededRandom(seed: 3)
        #expect(FreeSpace.released(extents.shuffled(using: &order)) == expected)
    }
}
