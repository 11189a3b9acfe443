import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Indexes written by the reference engine pass the checks and can be edited.
struct IndexEditorFileTests {
    @Test(arguments: Fixtures.files("objects", ".realm"))
    func continuesIndexesOfTheReference(_ file: URL) throws {
        let schema = try Database(immutable: file.path).schema
        for table in schema.tables {
            for (i, column) in table.columns.enumerated() where column.index != .none {
                if column.collection == nil {
                    try continueIndex(file, table.name, i)
                } else {
                    try continueListIndex(file, table.name, i)
                }
            }
        }
    }

    private func column(_ lab: EditLab, _ name: String, _ i: Int) throws -> ColumnModel {
        let info = try #require(lab.database.schema.tables.first { $0.name == name })
        let scan = lab.snapshot.table(info).scan(columns: [i])
        let model = ColumnModel()
        while try scan.next() {
            for row in 0..<scan.count {
                model.values[scan.key(row).raw] = try scan.value(row: row, column: 0)
            }
        }
        return model
    }

    private func info(_ lab: EditLab, _ name: String, _ i: Int) throws -> ColumnInfo {
        try #require(lab.database.schema.tables.first { $0.name == name }).columns[i]
    }

    /// Checks the index, edits it, and checks it again, including the freed nodes.
    private func continueIndex(_ file: URL, _ table: String, _ i: Int) throws {
        let lab = try EditLab(file.path)
        let info = try info(lab, table, i)
        let model = try column(lab, table, i)
        let before = try audit(lab, info.indexRoot, info.index, model)
        let editor = try IndexEditor(
            context: lab.context, root: info.indexRoot, kind: info.index, value: model.value)
        #expect(try editor.finish() == info.indexRoot, "finishing an untouched index copies it")
        var source = ValueSource(lab: lab, random: .fresh("\(table).\(info.name)"))
        let keys = model.values.keys.sorted()
        for round in 0..<3 {
            for _ in 0..<min(100, keys.count) {
                try edit(editor, model, keys[source.pick(keys.count)], info, &source)
            }
            #expect(!editor.isStale)
            if round == 1 { lab.seal(editor) }
            let root = try editor.finish()
            let after = try audit(lab, root, info.index, model)
            try checkFreed(lab, before.refs, after.refs)
        }
        try editor.clear()
        let empty = try audit(lab, try editor.finish(), info.index, ColumnModel())
        try checkFreed(lab, before.refs, empty.refs)
    }

    private func edit(
        _ editor: IndexEditor, _ model: ColumnModel, _ key: Int64, _ info: ColumnInfo,
        _ source: inout ValueSource
    ) throws {
        let new =
            info.index == .fullText
            ? source.sentence() : source.value(info.type, isNullable: info.isNullable)
        if let old = model.values[key] {
            if source.pick(3) == 0 {
                try editor.remove(old, ObjectKey(key))
                model.values[key] = nil
                return
            }
            try editor.change(from: old, to: new, ObjectKey(key))
        } else {
            try editor.insert(new, ObjectKey(key))
        }
        model.values[key] = new
    }

    private func audit(
        _ lab: EditLab, _ root: Ref, _ kind: IndexKind, _ model: ColumnModel
    ) throws -> IndexAudit {
        // The reference engine's nodes may be larger than this engine's.
        var fanout = Fanout()
        fanout.index = 1000
        let audit = try IndexAudit(
            lab.context.space, root, kind: kind, fanout: fanout, value: model.value)
        #expect(audit.faults.isEmpty)
        if kind == .fullText {
            #expect(audit.words == (try model.words()))
        } else {
            #expect(audit.keys == model.values.mapValues { _ in 1 })
        }
        return audit
    }

    /// Expects that exactly the nodes that the index no longer uses were freed, once each.
    private func checkFreed(_ lab: EditLab, _ before: Set<Ref>, _ after: Set<Ref>) throws {
        let freed = lab.context.freed.map { Ref($0.start) }
        #expect(Set(freed).count == freed.count, "a node is let go twice")
        #expect(Set(freed) == before.subtracting(after))
        for extent in lab.context.freed {
            #expect(extent.count == UInt64(try lab.memory.lookup.node(Ref(extent.start)).byteSize))
        }
    }

    /// In indexes of lists, the reference leaves stale entries and repeats others, but none is
    /// missing.
    private func continueListIndex(_ file: URL, _ table: String, _ i: Int) throws {
        let lab = try EditLab(file.path)
        let info = try info(lab, table, i)
        let before = try IndexAudit(
            lab.context.space, info.indexRoot, kind: .fullText, value: { _ in nil })
        #expect(before.faults.isEmpty)
        var words = before.words.mapValues { Set($0) }
        for (word, keys) in try listWords(lab, try column(lab, table, i)) {
            #expect(keys.isSubset(of: words[word] ?? []))
        }
        let editor = try IndexEditor(
            context: lab.context, root: info.indexRoot, kind: .fullText, value: { _ in nil })
        for (word, keys) in words {
            for key in keys where key % 2 == 0 {
                try editor.remove(word: lab.view(word), ObjectKey(key))
                words[word]?.remove(key)
            }
            try editor.insert(word: lab.view(word + [0x2E]), ObjectKey(1))
            words[word + [0x2E], default: []].insert(1)
        }
        #expect(!editor.isStale)
        let after = try IndexAudit(
            lab.context.space, try editor.finish(), kind: .fullText, value: { _ in nil })
        #expect(after.faults.isEmpty)
        #expect(after.words.mapValues { Set($0) } == words.filter { !$1.isEmpty })
        try checkFreed(lab, before.refs, after.refs)
    }

    private func listWords(_ lab: EditLab, _ lists: ColumnModel) throws -> [[UInt8]: Set<Int64>] {
        var words: [[UInt8]: Set<Int64>] = [:]
        for (key, list) in lists.values {
            guard case .list(let view) = list else { continue }
            var elements = lab.snapshot.elements(of: view)
            while case .string(let text)? = try elements.next() {
                words[text.bytes, default: []].insert(key)
            }
        }
        return words
    }
}
