import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Random edits compared with a model, with nodes so small that every kind of split occurs.
struct IndexEditorTests {
    static let small = Fanout(tree: 4, index: 4)

    struct Column: Sendable, CustomStringConvertible {
        let type: ColumnType
        let isNullable: Bool
        var description: String { "\(type.name)\(isNullable ? "?" : "")" }
    }

    static let columns: [Column] =
        [ColumnType.int, .bool, .string, .timestamp, .objectID, .uuid].flatMap {
            [Column(type: $0, isNullable: false), Column(type: $0, isNullable: true)]
        } + [Column(type: .mixed, isNullable: true)]

    @Test(arguments: columns)
    func editsEqualTheModel(_ column: Column) throws {
        let lab = try EditLab(fanout: Self.small)
        var source = ValueSource(lab: lab, random: .fresh("index of \(column)"))
        let model = ColumnModel()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .general, value: model.value)
        for batch in 0..<40 {
            let grows = batch % 20 < 12
            for _ in 0..<25 {
                try edit(editor, model, grows: grows, &source) { (source) in
                    source.value(column.type, isNullable: column.isNullable)
                }
            }
            // Sealed nodes are copied before they change.
            if batch % 3 == 0 { lab.seal(editor) }
            let root = try editor.finish()
            try Self.check(lab, root, model)
            try Self.checkFind(editor, model) {
                source.value(column.type, isNullable: column.isNullable)
            }
        }
        #expect(lab.context.freed.isEmpty)
    }

    /// A node splits only when it is full, in any order of insertion; otherwise files would be
    /// larger.
    @Test(arguments: [4, 5]) func splitsWhenFull(_ count: Int) throws {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
            let lab = try EditLab(fanout: Self.small)
            let model = ColumnModel()
            let editor = try IndexEditor(
                context: lab.context, root: .none, kind: .general, value: model.value)
            for number in order.prefix(count) {
                let key = Int64(number)
                try editor.insert(.int(key), ObjectKey(key))
                model.values[key] = .int(key)
            }
            let root = try editor.finish()
            try Self.check(lab, root, model)
            #expect(try lab.context.space.node(root).isInner == (count > Self.small.index))
        }
    }

    private func edit(
        _ editor: IndexEditor, _ model: ColumnModel, grows: Bool, _ source: inout ValueSource,
        _ value: (inout ValueSource) -> Value
    ) throws {
        let chosen = model.values.keys.sorted()
        if chosen.isEmpty || source.pick(10) < (grows ? 7 : 2) {
            let key = Int64(source.pick(100_000))
            guard model.values[key] == nil else { return }
            let other = value(&source)
            let value = value(&source)
            // A look-up caches a position that the next insertion uses.
            if !editor.holdsWords { _ = try editor.find(source.pick(2) == 0 ? value : other) }
            try editor.insert(value, ObjectKey(key))
            model.values[key] = value
            return
        }
        let key = chosen[source.pick(chosen.count)]
        let old = try #require(model.values[key])
        if source.pick(2) == 0 {
            try editor.remove(old, ObjectKey(key))
            model.values[key] = nil
        } else {
            let new = value(&source)
            // The column may change before or after its index.
            if source.pick(2) == 0 { model.values[key] = new }
            try editor.change(from: old, to: new, ObjectKey(key))
            model.values[key] = new
        }
        #expect(!editor.isStale)
    }

    static func check(
        _ lab: EditLab, _ root: Ref, _ model: ColumnModel, fanout: Fanout = small
    ) throws {
        let audit = try IndexAudit(
            lab.context.space, root, kind: .general, fanout: fanout, value: model.value)
        #expect(audit.faults.isEmpty)
        #expect(audit.keys == model.values.mapValues { _ in 1 })
    }

    /// Expects that exactly the existing values are found.
    private static func checkFind(
        _ editor: IndexEditor, _ model: ColumnModel, _ random: () -> Value
    ) throws {
        for wanted in model.values.values.prefix(20) + (0..<10).map({ _ in random() }) {
            let string = IndexString(wanted)
            let exists = model.values.values.contains {
                IndexString($0) == string && ValueOrder.areEqual($0, wanted)
            }
            let found = try editor.find(wanted)
            #expect((found != nil) == exists)
            if let found {
                #expect(ValueOrder.areEqual(try #require(model.value(found)), wanted))
            }
        }
    }

    @Test func fullTextEditsEqualTheModel() throws {
        let lab = try EditLab(fanout: Self.small)
        var source = ValueSource(lab: lab, random: .fresh("full text"))
        let model = ColumnModel()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .fullText, value: model.value)
        for batch in 0..<30 {
            for _ in 0..<25 {
                try edit(editor, model, grows: batch % 20 < 12, &source) { $0.sentence() }
            }
            // Sealed nodes are copied before they change.
            if batch % 3 == 0 { lab.seal(editor) }
            let root = try editor.finish()
            try Self.checkWords(lab, root, try model.words())
        }
    }

    static func checkWords(
        _ lab: EditLab, _ root: Ref, _ words: [[UInt8]: [Int64]], fanout: Fanout = small
    ) throws {
        let audit = try IndexAudit(
            lab.context.space, root, kind: .fullText, fanout: fanout, value: { _ in nil })
        #expect(audit.faults.isEmpty)
        #expect(audit.words == words)
    }

    /// Each edit of a column may move its values and reuse the old memory for other values.
    @Test func editsWorkWhenValuesMove() throws {
        let lab = try EditLab(fanout: Self.small)
        let model = ColumnModel()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .general, value: model.value)
        let text = Array("the same text".utf8)
        let places = UnsafeMutableRawBufferPointer.allocate(byteCount: 6 * 13, alignment: 1)
        defer { places.deallocate() }
        for key in Int64(0)..<6 {
            let place = Int(key) * 13..<(Int(key) + 1) * 13
            let memory = UnsafeMutableRawBufferPointer(rebasing: places[place])
            memory.copyBytes(from: text)
            let value = Value.string(ByteView(UnsafeRawPointer(memory.baseAddress!), count: 13))
            for other in model.values.keys { model.values[other] = value }
            try editor.insert(value, ObjectKey(key))
            model.values[key] = value
            let root = try text.withUnsafeBytes { (kept) throws -> Ref? in
                let stable = Value.string(ByteView(kept.baseAddress!, count: 13))
                for other in model.values.keys { model.values[other] = stable }
                memory.initializeMemory(as: UInt8.self, repeating: 0x7A)
                let found = try editor.find(stable)
                #expect(!editor.isStale && found == ObjectKey(0))
                guard key == 5 else { return nil }
                let root = try editor.finish()
                try Self.check(lab, root, model)
                return root
            }
            #expect((root != nil) == (key == 5))
        }
    }

    @Test(arguments: columns)
    func buildingEqualsInsertingOneByOne(_ column: Column) throws {
        let lab = try EditLab(fanout: Self.small)
        var source = ValueSource(lab: lab, random: .fresh("build of \(column)"))
        for count in [0, 1, 2, 5, 300] {
            let model = ColumnModel()
            var entries: [(value: Value, key: ObjectKey)] = []
            for key in 0..<count {
                let value = source.value(column.type, isNullable: column.isNullable)
                entries.append((value, ObjectKey(Int64(key))))
                model.values[Int64(key)] = value
            }
            entries.shuffle(using: &source.random)
            let root = try IndexEditor.build(lab.context, kind: .general, entries)
            try Self.check(lab, root, model)
            // An index that was built can be edited.
            let editor = try IndexEditor(
                context: lab.context, root: root, kind: .general, value: model.value)
            for _ in 0..<100 {
                try edit(editor, model, grows: true, &source) { (source) in
                    source.value(column.type, isNullable: column.isNullable)
                }
            }
            try Self.check(lab, try editor.finish(), model)
        }
    }

    @Test func buildingFromWordsEqualsTheModel() throws {
        let lab = try EditLab(fanout: Self.small)
        var source = ValueSource(lab: lab, random: .fresh("build of full text"))
        let model = ColumnModel()
        let builder = IndexBuilder(lab.context, kind: .fullText)
        for key in 0..<200 {
            let value = source.sentence()
            try builder.add(value, ObjectKey(Int64(key)))
            model.values[Int64(key)] = value
        }
        try Self.checkWords(lab, try builder.finish(), try model.words())
        #expect(try lab.context.space.node(try builder.finish()).count == 1)
    }

    @Test func listsBeyondOneLeafBecomeTrees() throws {
        let lab = try EditLab(fanout: Self.small)
        let model = ColumnModel()
        let editor = try IndexEditor(
            context: lab.context, root: .none, kind: .general, value: model.value)
        for key in (0..<100).map({ Int64($0 * 37 % 100) }) {
            model.values[key] = .bool(key % 3 == 0)
            try editor.insert(.bool(key % 3 == 0), ObjectKey(key))
        }
        let root = try editor.finish()
        try Self.check(lab, root, model)
        #expect(
            try IndexAudit(
                lab.context.space, root, kind: .general, fanout: Self.small, value: model.value
            ).lists == 2)
        for key in 0..<100 {
            try editor.remove(.bool(key % 3 == 0), ObjectKey(Int64(key)))
            model.values[Int64(key)] = nil
            if key % 10 == 0 { try Self.check(lab, try editor.finish(), model) }
        }
        #expect(try lab.context.space.node(try editor.finish()).count == 1)
    }
}
