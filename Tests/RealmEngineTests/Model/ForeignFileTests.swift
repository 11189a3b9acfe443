import Foundation
import Testing

@testable import RealmEngine

/// Random transactions on files the reference engine wrote, with everything only it makes:
/// tombstones and links to them, enumerated columns, leaf forms and trees of its own.
@Suite struct ForeignFileTests {
    private static let files = Fixtures.files("objects", ".realm").filter {
        $0.lastPathComponent.hasPrefix("all-types")
    }

    @Test(arguments: files, [false, true]) func goesOn(_ file: URL, _ isSmall: Bool) throws {
        try Self.goOn(
            file,
            seed: ProcessInfo.processInfo.environment["REALM_TEST_SEED"].flatMap(UInt64.init)
                ?? .random(in: 0 ... .max), isSmall: isSmall, operations: 1500)
    }

    static func goOn(_ file: URL, seed: UInt64, isSmall: Bool, operations: Int) throws {
        let folder = try ScratchFolder()
        let path = folder.file("foreign.realm")
        try FileManager.default.copyItem(atPath: file.path, toPath: path)
        // What is wrong with it already.
        let known = try IntegrityCheck.run(path: path).counts
        let model = try ModelDatabase(try Database(immutable: path).snapshot())
        var shape = ModelRun.Shape()
        if isSmall { shape.fanout = ModelTests.small }
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
}
