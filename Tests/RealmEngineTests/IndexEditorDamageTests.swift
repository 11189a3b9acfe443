import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Indexes that contradict their column or the format.
struct IndexEditorDamageTests {
    private func editor(
        _ lab: EditLab, _ values: [Value]
    ) throws -> (editor: IndexEditor, model: ColumnModel) {
        let model = ColumnModel()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .general, value: model.value)
        for (key, value) in values.enumerated() {
            model.values[Int64(key)] = value
            try editor.insert(value, ObjectKey(Int64(key)))
        }
        return (editor, model)
    }

    private func checkRebuilds(
        _ lab: EditLab, _ editor: IndexEditor, _ model: ColumnModel
    ) throws {
        #expect(editor.isStale)
        let builder = IndexBuilder(lab.context, kind: .general)
        for (key, value) in model.values { try builder.add(value, ObjectKey(key)) }
        try editor.rebuild(builder)
        #expect(!editor.isStale)
        try IndexEditorTests.check(lab, try editor.finish(), model, fanout: Fanout())
    }

    /// An entry that was not moved when a number changed to an equal one of another type (object
    /// format 13, defect 6).
    @Test func detectsAnEntryWithOutdatedBytes() throws {
        let lab = try EditLab()
        let (editor, model) = try editor(lab, [.float(2.5), .int(7)])
        model.values[0] = .double(2.5)
        try editor.remove(.double(2.5), ObjectKey(0))
        model.values[0] = nil
        try checkRebuilds(lab, editor, model)
    }

    /// A link in the index whose target was deleted without updating the index (defect 5).
    @Test func detectsAnEntryOfADeletedTarget() throws {
        let lab = try EditLab()
        let link = Value.link(ObjectLink(table: TableKey(1), key: ObjectKey(4)))
        let (editor, model) = try editor(lab, [link, .int(7)])
        model.values[0] = .null
        model.values[2] = link
        try editor.insert(link, ObjectKey(2))
        try checkRebuilds(lab, editor, model)
    }

    @Test func detectsAnEntryWithoutAnObject() throws {
        let lab = try EditLab()
        let (editor, model) = try editor(lab, [.int(1), .int(7)])
        model.values[0] = nil
        model.values[5] = .int(1)
        try editor.insert(.int(1), ObjectKey(5))
        try checkRebuilds(lab, editor, model)
    }

    @Test func detectsAnObjectMissingFromAList() throws {
        let lab = try EditLab()
        let (editor, model) = try editor(lab, [.int(1), .int(1), .int(1)])
        try editor.remove(.int(1), ObjectKey(9))
        try checkRebuilds(lab, editor, model)
    }

    @Test func insertingTwiceChangesNothing() throws {
        let lab = try EditLab()
        let (editor, model) = try editor(lab, [.int(1), .int(1), .int(2)])
        for (key, value) in model.values { try editor.insert(value, ObjectKey(key)) }
        #expect(!editor.isStale)
        try IndexEditorTests.check(lab, try editor.finish(), model, fanout: Fanout())
    }

    @Test func refusesLongStringsOfLists() throws {
        let lab = try EditLab()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .fullText, value: { _ in nil })
        let longest = lab.view([UInt8](repeating: 0x61, count: 200))
        try editor.insert(word: longest, ObjectKey(1))
        #expect(throws: RealmError.self) {
            try editor.insert(word: lab.view(longest.bytes + [0x61]), ObjectKey(1))
        }
    }

    // MARK: Damaged nodes

    private func node(
        _ lab: EditLab, keys: [Int32], keyFlags: UInt8 = 6, slots: [UInt64], isInner: Bool = false
    ) throws -> Ref {
        let (keysRef, payload) = try lab.context.slab.node(flags: keyFlags, count: keys.count)
        for (i, key) in keys.enumerated() {
            if keyFlags == 6 {
                payload.storeBytes(of: key, toByteOffset: i * 4, as: Int32.self)
            } else {
                payload.storeBytes(
                    of: Int16(truncatingIfNeeded: key), toByteOffset: i * 2, as: Int16.self)
            }
        }
        return try lab.context.encoder.refs(
            [keysRef.raw] + slots,
            flags: NodeView.contextFlag | (isInner ? NodeView.innerFlag : 0))
    }

    /// - Parameter isOrdered: whether the nodes that a look-up passes are valid.
    private func expectCorrupt(_ lab: EditLab, _ root: Ref, isOrdered: Bool = true) throws {
        // Seals the slab, since nodes of the open transaction are not validated again.
        lab.context.slab.seal()
        func attempt(_ body: (IndexEditor) throws -> Void) {
            let error = #expect(throws: RealmError.self) {
                try body(
                    IndexEditor(
                        context: lab.context, root: root, kind: .general, value: { _ in .null }))
            }
            #expect(error?.kind == .corrupt)
        }
        attempt { try $0.insert(.null, ObjectKey(1)) }
        attempt { try $0.remove(.null, ObjectKey(1)) }
        if isOrdered { attempt { _ = try $0.find(.null) } }
    }

    @Test func refusesNodesOfInvalidForm() throws {
        let lab = try EditLab()
        let literal: UInt64 = 3
        try expectCorrupt(lab, try node(lab, keys: [0], keyFlags: 5, slots: [literal]))
        try expectCorrupt(
            lab, try node(lab, keys: [0, 0], slots: [literal, literal]), isOrdered: false)
        try expectCorrupt(lab, try node(lab, keys: [0, 1], slots: [literal]))
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [0]))
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [20]))
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [literal], isInner: true))
        try expectCorrupt(lab, try node(lab, keys: [], slots: [], isInner: true))
        try expectCorrupt(lab, try lab.context.encoder.integers([1, 2]))
        let list = try lab.context.encoder.integers([])
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [list.raw]))
        let empty = try node(lab, keys: [], slots: [])
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [empty.raw]))
        let other = try node(lab, keys: [5], slots: [literal])
        try expectCorrupt(lab, try node(lab, keys: [0], slots: [other.raw], isInner: true))
    }

    @Test(arguments: [true, false])
    func detectsCycles(isInner: Bool) throws {
        let lab = try EditLab()
        // The next node of the slab, which is the node being made.
        let keys = lab.context.slab.start + UInt64(lab.context.slab.used)
        let root = try node(lab, keys: [0], slots: [keys + 32], isInner: isInner)
        #expect(root.raw == keys + 32)
        try expectCorrupt(lab, root)
    }
}
