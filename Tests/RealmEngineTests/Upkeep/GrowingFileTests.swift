import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A file that another participant extends while it is being read.
@Suite struct GrowingFileTests {
    private let folder: ScratchFolder
    private let path: String
    private let session: WriteSession
    private let table: TableKey

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("growing.realm")
        session = try WriteSession(path: path, options: .scratch())
        let transaction = try session.begin()
        table = try transaction.createClass("C")
        try transaction.addProperty(table, PropertySpec("blob", .binary))
        try transaction.commit()
    }

    private static func grow(
        _ session: WriteSession, _ table: TableKey, by size: Int
    ) throws {
        let arena = ByteArena()
        let bytes = arena.allocate(size)
        bytes.initializeMemory(as: UInt8.self, repeating: 0x5A, count: size)
        let transaction = try session.begin()
        let object = try transaction.create(in: table)
        try transaction.set(table, object, 0, .binary(ByteView(bytes, count: size)))
        try transaction.commit()
    }

    /// The header references roots after the end that the file had when it was opened.
    @Test func opensAPreviousVersionBeyondTheOldEnd() throws {
        let before = try Database(immutable: path)
        for _ in 0..<3 { try Self.grow(session, table, by: 1 << 20) }
        let previous = try before.at(.previous)
        #expect(previous.version == session.database.version - 1)
        #expect(try previous.snapshot().table(table).count() == 2)
    }

    /// The previous version of a participant is its own version, which it pins.
    @Test func participantKeepsThePreviousVersion() throws {
        let reader = try #require(try Database(joiningLive: path))
        let version = reader.version
        for _ in 0..<3 { try Self.grow(session, table, by: 1 << 16) }
        let previous = try reader.at(.previous)
        #expect(previous.version == version)
        #expect(!previous.hasChanged)
        #expect(try previous.snapshot().table(table).count() == 0)
    }

    /// An open transaction may write over the version before the newest one.
    @Test func openTransactionMayOverwriteThePreviousVersion() throws {
        try Self.grow(session, table, by: 1 << 16)
        let before = try Database(immutable: path).at(.previous)
        #expect(!before.hasChanged)
        let transaction = try session.begin()
        #expect(before.hasChanged)
        transaction.rollback()
        #expect(!before.hasChanged)
    }

    /// A root may have the same offset as an older one, so that the header repeats.
    @Test func everyCommitChangesTheHeader() throws {
        let file = try Database(immutable: path).file
        var marks: [RawHeader] = []
        for _ in 0..<200 {
            try Self.grow(session, table, by: 100)
            _ = try file.extendToEnd()
            let mark = try file.rawHeader()
            #expect(!marks.contains(mark))
            marks.append(mark)
        }
    }

    /// The previous version, read without a pin, is either unchanged or known to have changed:
    /// reading never reports damage or a wrong number of objects.
    @Test func previousVersionIsIntactOrChangedDuringCommits() throws {
        let (path, table) = (path, table)
        let isDone = LockedValue(false)
        let failures = LockedValue<[String]>([])
        Threads.run(2) { number in
            do {
                if number == 0 {
                    defer { isDone.withLock { $0 = true } }
                    var options = WriteSession.Options()
                    options.isDurable = false
                    let session = try WriteSession(path: path, options: options)
                    for _ in 0..<400 { try Self.grow(session, table, by: 100) }
                    return
                }
                while !isDone.withLock({ $0 }) {
                    if let failure = Self.readPrevious(path, table) {
                        failures.withLock { $0.append(failure) }
                    }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }

    /// Reads the previous version, whose number of objects is its version number minus 2; returns a
    /// description of a failure.
    private static func readPrevious(_ path: String, _ table: TableKey) -> String? {
        var previous: Database?
        do throws(RealmError) {
            let found = try Database(immutable: path).at(.previous)
            previous = found
            // The version before the class was created.
            if found.schema.tables.isEmpty { return nil }
            let count = try found.snapshot().table(table).count()
            if found.hasChanged || count == Int(found.version) - 2 { return nil }
            return "\(count) objects in version \(found.version)"
        } catch {
            if error.kind == .busy || error.reason == "version-gone" { return nil }
            return error.kind == .corrupt && previous?.hasChanged ?? false ? nil : "\(error)"
        }
    }

    /// Inspection with and without reading the lock file.
    @Test(arguments: [true, false]) func inspectionSucceedsDuringCommits(_ readsLockFile: Bool)
        throws
    {
        let (path, table) = (path, table)
        let isDone = LockedValue(false)
        let failures = LockedValue<[String]>([])
        Threads.run(2) { number in
            do {
                if number == 0 {
                    defer { isDone.withLock { $0 = true } }
                    var options = WriteSession.Options()
                    options.isDurable = false
                    let session = try WriteSession(path: path, options: options)
                    for _ in 0..<100 { try Self.grow(session, table, by: 1 << 17) }
                    return
                }
                let inspector = Inspector(path: path, readsLockFile: readsLockFile)
                while !isDone.withLock({ $0 }) {
                    let found = try inspector.inspect()
                    if let damage = found.damage {
                        failures.withLock { $0.append("\(damage)") }
                    }
                    #expect(
                        found.space.map { $0.live + $0.free + $0.pinned } == UInt64(found.bytes))
                }
            } catch let error as RealmError where error.kind == .busy {
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
