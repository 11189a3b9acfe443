import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Exchanges files with other implementations. Runs only if `REALM_TEST_FILES` names a folder.
///
/// `writesFilesForAnotherImplementation` makes `N.realm` and its content `N.dump`. Another
/// implementation then changes the files and writes `N.dump2`, which
/// `readsFilesOfAnotherImplementation` compares with the file.
@Suite struct ReferenceFileTests {
    private static let folder = ProcessInfo.processInfo.environment["REALM_TEST_FILES"]
    private static let count =
        ProcessInfo.processInfo.environment["REALM_TEST_FILE_COUNT"].flatMap(Int.init) ?? 8

    @Test(.enabled(if: folder != nil), arguments: 0..<count)
    func writesFilesForAnotherImplementation(_ i: Int) throws {
        let path = "\(Self.folder!)/\(i).realm"
        var shape = ModelRun.Shape()
        shape.objects = [20, 60, 300, 600][i % 4]
        shape.elements = [10, 30, 6][i % 3]
        shape.operationsPerTransaction = [20, 100, 400][i / 4 % 3]
        shape.freshHandleEvery = 1000
        shape.isComparing = i % 8 == 0
        // The reference engine merges inner nodes only in trees of more than a million elements.
        // Smaller nodes must therefore not be so small that a tree has several inner levels. When
        // the reference engine merges cluster leaves, it loses the keys of collections nested in
        // mixed properties.
        if i % 8 == 1 { shape.fanout.tree = 40 }
        if i % 8 == 3 { shape.fanout.index = 4 }
        shape.indexesMixed = false
        shape.dropsProperties = i % 16 == 9
        let run = try ModelRun(path: path, seed: UInt64(i), shape: shape)
        try run.addKnownClasses()
        try run.run(operations: [500, 2000, 6000][i % 3])
        try run.fillKnownClasses()
        let lines = try ReferenceDump(try Database(immutable: path)).lines
        try Data((lines.joined(separator: "\n") + "\n").utf8)
            .write(to: URL(filePath: "\(Self.folder!)/\(i).dump"))
    }

    /// Continues with random transactions after another implementation.
    @Test(.enabled(if: folder != nil), arguments: 0..<count)
    func continuesFilesOfAnotherImplementation(_ i: Int) throws {
        let path = "\(Self.folder!)/\(i).realm"
        guard FileManager.default.fileExists(atPath: path) else { return }
        try ForeignFileTests.goOn(
            URL(filePath: path), seed: UInt64(i), isSmall: i % 2 == 0, operations: 400)
    }

    @Test(.enabled(if: folder != nil), arguments: 0..<count) func readsFilesOfAnotherImplementation(
        _ i: Int
    ) throws {
        let base = "\(Self.folder!)/\(i)"
        guard FileManager.default.fileExists(atPath: base + ".dump2") else { return }
        let theirs = try String(contentsOfFile: base + ".dump2", encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let ours = try ReferenceDump(try Database(immutable: base + ".realm")).lines
        #expect(ours.count == theirs.count, "\(base)")
        for (line, (our, their)) in zip(ours, theirs).enumerated() where our != their {
            Issue.record("\(base):\(line + 1)\n ours \(our)\n dump \(their)")
            return
        }
    }
}

extension ModelRun {
    /// Adds the classes that other implementations look for: two types of primary key, every
    /// property type, every index.
    func addKnownClasses() throws {
        let transaction = try session!.begin()
        for (name, type) in [("PkInt", ColumnType.int), ("PkStr", .string)] {
            let key = try transaction.createClass(name, primaryKey: PropertySpec("id", type))
            model.tables[key] = ModelDatabase.Table(
                name: name, kind: .topLevel,
                columns: [
                    ModelDatabase.Column(
                        name: "id", type: type, isOptional: false, isPrimaryKey: true)
                ])
            knownClasses.insert(key)
        }
        let child = try known(transaction, "Child", .embedded)
        let all = try known(transaction, "All", .topLevel)
        for type in RandomValues.scalarTypes + [.mixed] {
            for collection in [nil, CollectionKind.list, .set, .dictionary] {
                for isOptional in [false, true] {
                    var spec = PropertySpec(
                        "\(type.name)\(collection?.rawValue ?? "")\(isOptional ? "O" : "")", type)
                    spec.collection = collection
                    spec.isOptional = isOptional
                    try add(transaction, all, spec)
                }
            }
        }
        for target in knownClasses.sorted(by: { $0.raw < $1.raw }) {
            for collection in [nil, CollectionKind.list, .set, .dictionary]
            where target != child || collection != .set {
                var spec = PropertySpec("l\(target.raw)\(collection?.rawValue ?? "")", .link)
                spec.collection = collection
                spec.target = target
                try add(transaction, all, spec)
            }
        }
        try addIndexed(transaction)
        try commit(transaction)
    }

    /// Fills each class with enough objects for another implementation to choose from.
    func fillKnownClasses() throws {
        try reopen()
        let transaction = try session!.begin()
        for table in knownClasses.sorted(by: { $0.raw < $1.raw })
        where model.tables[table]!.kind == .topLevel {
            while model.tables[table]!.keys.count < 70 {
                try create(transaction, in: table)
                try change(transaction, in: table)
                try change(transaction, in: table)
            }
        }
        try commit(transaction)
        try close()
    }

    private func addIndexed(_ transaction: WriteTransaction) throws {
        let table = try known(transaction, "Idx", .topLevel)
        for type: ColumnType in [.int, .bool, .string, .timestamp, .objectID, .uuid, .mixed] {
            for isOptional in [false, true] {
                var spec = PropertySpec("\(type.name)\(isOptional ? "O" : "")", type)
                spec.isOptional = isOptional
                spec.isIndexed = type != .mixed || shape.indexesMixed
                try add(transaction, table, spec)
            }
        }
        var text = PropertySpec("ft", .string)
        text.isFullText = true
        try add(transaction, table, text)
    }

    private func known(
        _ transaction: WriteTransaction, _ name: String, _ kind: TableKind
    ) throws -> TableKey {
        let key = try transaction.createClass(name, kind: kind)
        model.tables[key] = ModelDatabase.Table(name: name, kind: kind)
        knownClasses.insert(key)
        return key
    }

    private func add(
        _ transaction: WriteTransaction, _ table: TableKey, _ spec: PropertySpec
    ) throws {
        try transaction.addProperty(table, spec)
        model.addColumn(table, ModelDatabase.Column(spec))
    }
}
