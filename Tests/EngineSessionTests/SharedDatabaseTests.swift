import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A process has one participant per file, however often and by whatever name it is opened.
@Suite struct SharedDatabaseTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("shared.realm")
        _ = try Counters(path)
    }

    private func participants() -> Int? {
        LockFileFacts(databasePath: path)?.session?.participants
    }

    @Test func openingTwiceReturnsTheSameObject() throws {
        let first = try Database.open(path)
        let second = try Database.open(path)
        let writer = try WriteSession(path: path)
        #expect(first === second && writer.database === first)
        #expect(participants() == 1)
    }

    @Test func allNamesOfAFileShareOneObject() throws {
        let link = folder.file("link.realm")
        let symbolic = folder.file("symbolic.realm")
        #expect(symlink("shared.realm", symbolic) == 0)
        let database = try Database.open(symbolic)
        #expect(try Database.open(path) === database)
        #expect(Foundation.link(path, link) == 0)
        #expect(try Database.open(link) === database)
        #expect(try Database.open(symbolic) === database)
        // Only the lock file of the real name is used.
        #expect(!FileManager.default.fileExists(atPath: link + ".lock"))
        #expect(!FileManager.default.fileExists(atPath: symbolic + ".lock"))
    }

    @Test func releasingTheLastReferenceClosesTheSession() throws {
        var database: Database? = try Database.open(path)
        var snapshot: Snapshot? = database?.snapshot()
        database = nil
        #expect(LockFileFacts(databasePath: path)?.isInUse == true)
        #expect(snapshot?.version == 2)
        snapshot = nil
        let facts = try #require(LockFileFacts(databasePath: path))
        #expect(!facts.isInUse)
        #expect(facts.session?.participants == 0)
        #expect(facts.session?.versions.allSatisfy { $0.live == 0 } == true)
    }

    @Test func threadsThatOpenAtOnceShareOneObject() throws {
        for _ in 0..<20 {
            let path = path
            let found = Synced<[ObjectIdentifier]>([])
            let kept = Synced<[Database]>([])
            Threads.run(4) { _ in
                guard let database = try? Database.open(path) else { return }
                kept.change { $0.append(database) }
                found.change { $0.append(ObjectIdentifier(database)) }
            }
            #expect(found.value.count == 4 && Set(found.value).count == 1)
            #expect(participants() == 1)
        }
    }

    /// Threads open the database while others close it: all that have it open share one object.
    @Test func threadsThatOpenAndCloseAtOnceShareOneObject() throws {
        let path = path
        Threads.run(4) { _ in
            for _ in 0..<50 {
                #expect(throws: Never.self) {
                    let database = try Database.open(path)
                    #expect(database.snapshot().version == 2)
                    #expect(try Database.open(path) === database)
                }
            }
        }
        #expect(LockFileFacts(databasePath: path)?.isInUse == false)
    }

    @Test func replacedFileIsRefused() throws {
        let database = try Database.open(path)
        let other = folder.file("other.realm")
        _ = try Counters(other)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        let error = Thrown.error { _ = try Database.open(path) }
        #expect(error?.kind == .busy && error?.reason == "replaced")
        withExtendedLifetime(database) {}
    }

    @Test func otherDurabilityIsRefused() throws {
        let database = try Database.open(path)
        var options = Database.Options()
        options.isDurable = false
        let error = Thrown.error { _ = try Database.open(path, options) }
        #expect(error?.code == "IncompatibleSession")
        // A separate participant, as in another process, that fails to join does not leave either.
        var separate = WriteSession.Options()
        separate.isDurable = false
        separate.isSeparate = true
        let other = Thrown.error { _ = try WriteSession(path: path, options: separate) }
        #expect(other?.code == "IncompatibleSession")
        #expect(participants() == 1)
        withExtendedLifetime(database) {}
    }

    @Test func missingFilesAreCreated() throws {
        var options = Database.Options()
        options.creation = .ifMissing
        let path = folder.file("made.realm")
        let made = try Database.open(path, options)
        #expect(try Database.open(path, options) === made)
        options.creation = .always
        #expect(Thrown.error { _ = try Database.open(path, options) } != nil)
        #expect(Thrown.error { _ = try Database.open(folder.file("none.realm")) } != nil)
        #expect(!FileManager.default.fileExists(atPath: folder.file("none.realm.lock")))
    }

    /// The database of a session reads what the session wrote.
    @Test func theDatabaseOfASessionReadsItsCommits() throws {
        let counters = try Counters(opening: path)
        let before = counters.database.snapshot()
        try counters.add(5)
        #expect(before.version == 2)
        #expect(try Counters.values(before) == [0, 0, 0, 0])
        #expect(try Counters.values(counters.database.snapshot()) == [5, -5, 5, -5])
    }

    @Test func aThreadHasAtMostOneTransaction() throws {
        let first = try WriteSession(path: path)
        let second = try WriteSession(path: path)
        let transaction = try first.begin()
        let error = Thrown.error { _ = try second.begin() }
        #expect(error?.code == "WrongTransactionState")
        transaction.rollback()
        try second.begin().rollback()
    }
}

/// A value shared by threads.
final class Synced<Value: Sendable>: Sendable {
    private let monitor = Monitor()
    nonisolated(unsafe) private var content: Value

    init(_ value: Value) { content = value }

    var value: Value { monitor.locked { content } }
    func change(_ body: (inout Value) -> Void) { monitor.locked { body(&content) } }
}
