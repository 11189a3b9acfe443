import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Random transactions on files of the reference engine, with features that only it writes:
/// tombstones and links to them, enumerated columns, and its own leaf forms and trees.
@Suite struct ForeignFileTests {
    private static let files = Fixtures.files("objects", ".realm").filter {
        $0.lastPathComponent.hasPrefix("all-types")
    }

    @Test(arguments: files, [false, true]) func randomTransactionsEqualTheModel(
        _ file: URL, _ isSmall: Bool
    ) throws {
        try Self.goOn(
            file,
            seed: ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
                ?? .random(in: 0 ... .max), isSmall: isSmall,
            operations: 500 * ModelShapes.scale)
    }

    static func goOn(_ file: URL, seed: UInt64, isSmall: Bool, operations: Int) throws {
        let folder = try ScratchFolder()
        let path = folder.file("foreign.realm")
        try FileManager.default.copyItem(atPath: file.path, toPath: path)
        // Findings that the file has before any change.
        let known = try IntegrityCheck.run(path: path).counts
        let model = try ModelDatabase(try Database(immutable: path).snapshot())
        var shape = ModelRun.Shape()
        if isSmall { shape.fanout = ModelShapes.small }
        shape.objects = 200
        shape.auditEvery = 10
        shape.freshHandleEvery = 30
        let run = try ModelRun(continuing: path, seed: seed, shape: shape, model)
        run.knownFindings = known
        do { try run.run(operations: operations) } catch {
            Issue.record(
                """
                \(file.lastPathComponent), seed \(seed), small \(isSmall), commit \(run.commits): \
                \(error)
                \(run.trace.joined(separator: "\n"))
                """)
        }
    }

    /// Removing a class removes links from mixed properties to its tombstones and its objects.
    @Test(arguments: files) func everyClassCanBeDropped(_ file: URL) throws {
        let schema = try Database(immutable: file.path).snapshot().schema
        let known = try IntegrityCheck.run(path: file.path).counts
        for table in schema.tables where table.name.hasPrefix("class_") {
            let folder = try ScratchFolder()
            let path = folder.file("dropped.realm")
            try FileManager.default.copyItem(atPath: file.path, toPath: path)
            let session = try WriteSession(path: path)
            let transaction = try session.begin()
            for origin in schema.tables {
                for column in origin.columns.reversed()
                where column.type == .link && column.target == table.key {
                    let index = try #require(
                        transaction.editor(origin.key).columnIndex(column.key))
                    try transaction.removeProperty(origin.key, index)
                }
            }
            try transaction.removeClass(table.key)
            try transaction.commit()
            let found = try IntegrityCheck.run(path: path).findings
                .filter { known[$0.code] == nil }
            #expect(found.isEmpty, "\(table.name)")
        }
    }
}
