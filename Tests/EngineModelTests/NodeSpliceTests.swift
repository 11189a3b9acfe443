import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares in-place changes of nodes with arrays: each width, each leaf form, each index. Nodes of
/// an earlier transaction must not change.
@Suite struct NodeSpliceTests {
    private static let steps = 1500

    @Test(arguments: 0..<8)
    func integerArraysEqualTheModel(_ bits: Int) throws {
        let lab = try EditLab()
        let random = RandomValues(seed: 17 + UInt64(bits))
        let root = RefSlot.allocate(capacity: 1)
        defer { root.deallocate() }
        root.initialize(to: try lab.context.encoder.integers([]).raw)
        var model: [Int64] = []
        for step in 0..<Self.steps {
            // Small numbers first, so that each width occurs.
            let number = step < 1200 ? Int64(random.below(1 << bits)) : random.integer()
            let i = random.below(model.count + 1)
            switch random.below(step % 500 < 250 ? 3 : 5) {
            case 0, 1:
                try lab.context.nodes.insertInteger(root, i, number)
                model.insert(number, at: i)
            case 2 where i < model.count:
                try lab.context.nodes.setInteger(root, i, number)
                model[i] = number
            case 3 where i < model.count, 4 where i < model.count:
                try lab.context.nodes.removeInteger(root, i)
                model.remove(at: i)
            default: continue
            }
            let view = try lab.context.space.node(Ref(root.pointee))
            try #require(view.count == model.count)
            try #require((0..<model.count).allSatisfy { view.integer($0) == model[$0] })
        }
        #expect(throws: RealmError.self) {
            try lab.context.nodes.setInteger(root, model.count, 0)
        }
    }

    static let types: [ColumnType] = [
        .int, .bool, .float, .double, .string, .binary, .timestamp, .decimal, .objectID, .uuid,
        .mixed,
    ]

    @Test(arguments: types, [false, true])
    func leavesEqualTheModel(_ type: ColumnType, _ isNullable: Bool) throws {
        if type == .mixed, !isNullable { return }
        let lab = try EditLab()
        let layout = LeafLayout(elements: ElementType(type: type, isNullable: isNullable))
        let column = ColumnEditor(lab.context, layout)
        let random = RandomValues(seed: 99 + UInt64(type.rawValue))
        let root = RefSlot.allocate(capacity: 1)
        defer { root.deallocate() }
        for longest in [15, 60, 220] {
            random.longest = longest
            root.initialize(to: try column.makeEmpty().raw)
            try edit(lab, column, root, random)
        }
    }

    private func edit(
        _ lab: EditLab, _ column: ColumnEditor, _ root: RefSlot, _ random: RandomValues
    ) throws {
        var model: [Value] = []
        for step in 0..<Self.steps / 3 {
            let before = (Ref(root.pointee), model)
            if step % 40 == 39 { lab.context.slab.seal() }
            let value = value(random, column.layout, lab)
            let i = random.below(model.count + 1)
            try column.open(root, rows: model.count)
            switch random.below(step % 200 < 100 ? 4 : 6) {
            case 0, 1:
                try column.insert(value, root, at: model.count)
                model.append(value)
            case 2:
                try column.insert(value, root, at: i)
                model.insert(value, at: i)
            case 3 where i < model.count:
                try column.set(value, root, at: i, rows: model.count)
                model[i] = value
            default:
                if i == model.count { continue }
                try column.remove(root, at: i)
                model.remove(at: i)
            }
            try expect(lab, column, Ref(root.pointee), model)
            if step % 40 == 39 { try expect(lab, column, before.0, before.1) }
        }
    }

    private func value(_ random: RandomValues, _ layout: LeafLayout, _ lab: EditLab) -> Value {
        if layout.isNullable, random.chance(20) { return .null }
        return lab.arena.copy(scalar(random, layout.type, lab))
    }

    private func scalar(_ random: RandomValues, _ type: ColumnType, _ lab: EditLab) -> Value {
        let number = random.integer()
        switch type {
        case .int: return .int(number)
        case .bool: return .bool(number & 1 == 0)
        case .float: return .float(Float(number))
        case .double: return .double(Double(number))
        case .string: return .string(lab.view(random.text()))
        case .binary: return .binary(lab.view(random.bytes()))
        case .timestamp:
            return .timestamp(Timestamp(seconds: number, nanoseconds: number < 0 ? -5 : 7))
        case .decimal:
            if random.chance(20) { return .decimal(.zero) }
            return .decimal(Decimal128(high: 0x3040 << 48, low: UInt64(number.magnitude)))
        case .objectID:
            return .objectID(ObjectID(high: UInt64(bitPattern: number), low: 77))
        case .uuid: return .uuid(UUIDValue(high: 1, low: UInt64(bitPattern: number)))
        default: return scalar(random, random.pick(Self.types), lab)
        }
    }

    private func expect(
        _ lab: EditLab, _ column: ColumnEditor, _ ref: Ref, _ model: [Value]
    ) throws {
        let leaf = try ColumnLeaf(lab.context.space, ref, column.layout, rows: model.count)
        for i in model.indices {
            let found = try leaf.stored(i)
            try #require(found.isIdentical(to: model[i]), "\(column.layout.type) \(i)")
        }
    }

    #if DEBUG
        /// The number of nodes that a change of one property opens depends on the depth of the
        /// tree, not on its size: siblings and other columns are not read.
        @Test func aChangeOpensOnlyTheNodesOnItsPath() throws {
            let few = try opened(objects: 3)
            let many = try opened(objects: 4 * 64 * 64)
            #expect(many - few < 40, "\(few) \(many)")
        }

        /// Number of nodes that a transaction with a change of one property opens until its commit.
        private func opened(objects: Int) throws -> Int {
            let folder = try ScratchFolder()
            let session = try WriteSession(
                path: folder.file("a.realm"),
                options: .scratch(Fanout(clusterLeaf: 4, clusterInner: 64, tree: 64, index: 64)))
            let first = try session.begin()
            let table = try first.createClass("A")
            for name in ["a", "b", "c", "d"] {
                try first.addProperty(table, PropertySpec(name, .int))
            }
            var keys: [ObjectKey] = []
            for _ in 0..<objects { keys.append(try first.create(in: table)) }
            try first.commit()
            let second = try session.begin()
            let state = second.memory.lookup.state
            let before = state.pointee.opened
            try second.set(table, keys[objects / 2], 1, .int(7))
            _ = try second.snapshot()
            return state.pointee.opened - before
        }
    #endif
}
