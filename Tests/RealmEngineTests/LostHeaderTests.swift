import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A header that selects no root does not make a file with content an empty database.
@Suite struct LostHeaderTests {
    @Test(
        "nothing is written to a file whose selected slot is empty beside one with a root",
        arguments: [false, true])
    func commitsAreRefusedIfTheSelectedSlotIsEmpty(_ isFirstCommit: Bool) throws {
        let lab = try LostHeaderLab(commits: isFirstCommit ? 1 : 2)
        try lab.patch { bytes in
            if isFirstCommit { bytes[23] ^= 1 }
            let slot = Int(bytes[23] & 1)
            bytes.replaceSubrange((8 * slot)..<(8 * slot + 8), with: repeatElement(0, count: 8))
        }
        try lab.expectRefused()
        let previous = try Database(immutable: lab.path).at(.previous)
        #expect(previous.version == 2)
        #expect(try Database(immutable: lab.path).at(.number(2)).version == 2)
        #expect(previous.schema.tables.contains { $0.className.hasPrefix("A") })
    }

    @Test("a file with nodes but without a root is not written to")
    func commitsAreRefusedIfNodesHaveNoRoot() throws {
        let lab = try LostHeaderLab(commits: 1)
        try lab.patch { $0.replaceSubrange(0..<16, with: repeatElement(0, count: 16)) }
        try lab.expectRefused()
    }

    @Test("an empty database of another engine is written to")
    func emptyDatabasesOfOtherEnginesAcceptCommits() throws {
        let scratch = ScratchDatabase()
        var bytes = [UInt8](repeating: 0, count: 4096)
        bytes.replaceSubrange(16..<20, with: Array("T-DB".utf8))
        try Data(bytes).write(to: URL(filePath: scratch.path))
        try LostHeaderLab.commit(scratch.path, creates: false)
        let database = try Database(immutable: scratch.path)
        #expect(database.version == 2)
        #expect(IntegrityCheck(database).run().findings.isEmpty)
    }

    @Test("a new database has a root before the first commit")
    func newDatabaseHasARoot() throws {
        let scratch = ScratchDatabase()
        var session: WriteSession? = try WriteSession(path: scratch.path, options: .scratch())
        try session!.begin().rollback()
        session = nil
        let database = try Database(immutable: scratch.path)
        #expect(database.top != nil && database.version == 1 && database.schema.tables.isEmpty)
        #expect(IntegrityCheck(database).run().findings.isEmpty)
    }
}

private final class LostHeaderLab {
    private let scratch = ScratchDatabase()
    var path: String { scratch.path }

    init(commits: Int) throws {
        for i in 0..<commits { try Self.commit(path, creates: i == 0) }
    }

    static func commit(_ path: String, creates: Bool) throws {
        var options = WriteSession.Options.scratch()
        options.creates = creates
        let session = try WriteSession(path: path, options: options)
        let transaction = try session.begin()
        let name = "A\(transaction.version)"
        try transaction.addProperty(transaction.createClass(name), PropertySpec("n", .int))
        try transaction.commit()
    }

    func patch(_ body: (inout [UInt8]) -> Void) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        body(&bytes)
        try Data(bytes).write(to: URL(filePath: path))
        // The earlier sessions have ended.
        try? FileManager.default.removeItem(atPath: path + ".lock")
    }

    /// Expects that every writing operation fails with `corrupt` and changes no byte.
    func expectRefused() throws {
        let before = try Data(contentsOf: URL(filePath: path))
        var options = WriteSession.Options()
        options.isDurable = false
        let openings: [() throws -> Void] = [
            { _ = try WriteSession(path: self.path, options: options) },
            { _ = try WriteSession(rehearsing: self.path) },
            { try ExclusiveAccess.run(path: self.path) { _ throws(RealmError) in nil } },
            {
                var opening = Database.Options()
                opening.isDurable = false
                opening.creation = .ifMissing
                _ = try Database.open(self.path, opening)
            },
        ]
        for (i, opening) in openings.enumerated() {
            let error = Thrown.error(opening)
            #expect(error?.kind == .corrupt && error?.reason == "lost-header", "opening \(i)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try Inspector(path: path).inspect().damage?.reason == "lost-header")
        let report = try IntegrityCheck.run(path: path)
        #expect(report.counts[.staleSlot] == 1 && report.errorCount == 0)
    }
}
