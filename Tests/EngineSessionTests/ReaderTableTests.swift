import Foundation
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// The companion file that lists all pins.
@Suite struct ReaderTableTests {
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        folder = try ScratchFolder()
        path = folder.file("table.realm")
        _ = try Counters(path)
    }

    private var side: String { path + ".management/readers" }

    @Test func everyPinHasARow() throws {
        let counters = try Counters(opening: path)
        let database = counters.database
        let pin = database.pinNewest("a reader")
        let frozen = try database.pin(.frozen, of: pin, label: "frozen")
        try counters.add(1)
        let rows = ReaderTable.read(path).sorted { ($0.version, $0.label) < ($1.version, $1.label) }
        #expect(rows.map(\.version) == [2, 2, 3])
        #expect(rows.map(\.label) == ["a reader", "frozen", ""])
        #expect(rows.map(\.kind) == [.live, .frozen, .live])
        #expect(rows.allSatisfy { $0.process == .current && !$0.isStale })
        #expect(rows.allSatisfy { $0.thread == ThreadNumber.current })
        let age = Int64(Date().timeIntervalSince1970 * 1e9) - rows[0].since
        #expect(age >= 0 && age < 60_000_000_000)

        let listed = try #require(LockFileFacts(databasePath: path)?.session?.versions)
        #expect(listed.map(\.version) == [2, 3])
        #expect(listed.map(\.live) == [1, 1] && listed.map(\.frozen) == [1, 0])
        database.unpin(pin)
        database.unpin(frozen)
        #expect(ReaderTable.read(path).map(\.version) == [3])
    }

    @Test func anOpenTransactionHasARow() throws {
        let counters = try Counters(opening: path)
        let transaction = try counters.session.begin()
        let writers = ReaderTable.read(path).filter { $0.kind == .writer }
        #expect(writers.map(\.version) == [2])
        transaction.rollback()
        #expect(!ReaderTable.read(path).contains { $0.kind == .writer })
    }

    @Test func rowsAreRemovedWithTheParticipant() throws {
        do {
            let database = try Database.open(path)
            let pins = (0..<200).map { _ in database.pinNewest() }
            #expect(ReaderTable.read(path).count == 201)
            pins.forEach(database.unpin)
        }
        #expect(ReaderTable.read(path).isEmpty)
        #expect(try Data(contentsOf: URL(filePath: side)).count > 200 * 128)
    }

    @Test func rowsOfDeadProcessesAreReused() throws {
        let dead = try #require(try Self.deadProcess())
        do {
            let table = try #require(ReaderTable(databasePath: path, creates: true))
            for version in 1...3 { _ = table.take(.live, version: UInt64(version), label: "dead") }
            try setOwner(dead)
            #expect(ReaderTable.read(path).filter(\.isStale).count == 3)
        }
        try setOwner(dead, anyway: true)
        let table = try #require(ReaderTable(databasePath: path, creates: true))
        #expect(ReaderTable.read(path).isEmpty)
        withExtendedLifetime(table) {}
    }

    /// A process id can be reused by a later process, which has another identity.
    @Test func reusedProcessIDsAreDetected() {
        let own = ProcessIdentity.current
        #expect(own.isRunning)
        #expect(!ProcessIdentity(pid: own.pid, startTime: own.startTime &+ 1).isRunning)
        #expect(ProcessIdentity(pid: 0) == nil && ProcessIdentity(pid: .max) == nil)
    }

    /// A process identity contains 32 bits of the start time, which are 497 days.
    @Test func agesOfProcesses() throws {
        let day = 86_400
        func age(started: Int, uptime: Int) -> Int {
            FileHolders.age(
                startTicks: UInt64(started * 100), uptime: uptime, ticksPerSecond: 100)
        }
        #expect(age(started: 600 * day, uptime: 600 * day + 5) == 5)
        #expect(age(started: 3, uptime: 600 * day) == 600 * day - 3)
        #expect(age(started: 10, uptime: 9) == 0)
        let own = ProcessIdentity.current
        let ticks = try #require(ProcessIdentity.startTicks(of: own.pid))
        #expect(UInt32(truncatingIfNeeded: ticks) == own.startTime)
        #expect(ProcessIdentity.startTicks(of: 0) == nil)
    }

    @Test(arguments: ["garbage", "short", "empty", "directory", "fifo", "later", "missing"])
    func damagedTablesAreReadSafely(_ damage: String) throws {
        try FileManager.default.createDirectory(
            atPath: path + ".management", withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: side)
        var random = SystemRandomNumberGenerator()
        switch damage {
        case "garbage":
            let bytes = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            try Data(bytes).write(to: URL(filePath: side))
        case "short": try Data([1, 2, 3]).write(to: URL(filePath: side))
        case "empty": try Data().write(to: URL(filePath: side))
        case "directory":
            try FileManager.default.createDirectory(
                atPath: side, withIntermediateDirectories: false)
        case "fifo": #expect(mkfifo(side, 0o600) == 0)
        case "later":
            var bytes = [UInt8](repeating: 0, count: 4096)
            bytes.replaceSubrange(0..<9, with: Array("RealmRdr".utf8) + [9])
            try Data(bytes).write(to: URL(filePath: side))
        default: break
        }
        let counters = try Counters(opening: path)
        let pins = (0..<100).map { _ in counters.database.pinNewest() }
        try counters.add(1)
        pins.forEach(counters.database.unpin)
        #expect(try Counters.sum(counters.database.snapshot()) == 1)
        let mends = !["directory", "fifo", "later"].contains(damage)
        #expect(ReaderTable.read(path).count == (mends ? 1 : 0))
    }

    @Test func commitsContinueAfterTheTableIsDeleted() throws {
        let counters = try Counters(opening: path)
        try FileManager.default.removeItem(atPath: path + ".management")
        try FileManager.default.removeItem(atPath: path + ".lock")
        let snapshot = counters.database.snapshot()
        try counters.add(7)
        #expect(try Counters.sum(snapshot) == 0)
        #expect(try Counters.sum(counters.database.snapshot()) == 7)
        #expect(ReaderTable.read(path).isEmpty)
    }

    @Test func labelsAreTruncatedBetweenCharacters() {
        var random = SystemRandomNumberGenerator()
        for text in ["", "a", String(repeating: "b", count: 31), String(repeating: "é", count: 40)]
        {
            _ = random.next()
            let table = ReaderTable(databasePath: path, creates: true)
            let row = table?.take(.live, version: 1, label: ReaderLabel(text))
            let label = ReaderTable.read(path).first?.label ?? "none"
            #expect(
                row != nil && text.hasPrefix(label) && label.utf8.count >= min(text.utf8.count, 30))
        }
    }

    /// Stores another owner in the rows of this process.
    private func setOwner(_ owner: ProcessIdentity, anyway: Bool = false) throws {
        let file = try FileHandle(forUpdating: URL(filePath: side))
        defer { try? file.close() }
        for row in 0..<3 {
            let at = UInt64(128 + 128 * row)
            var words = [ReaderTable.Layout.owner(owner), 1]
            if !anyway { words = [words[0]] }
            try file.seek(toOffset: at)
            try file.write(contentsOf: words.withUnsafeBytes { Data($0) })
        }
    }

    /// Returns the identity of a process that has ended.
    private static func deadProcess() throws -> ProcessIdentity? {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["100"]
        try process.run()
        let identity = ProcessIdentity(pid: UInt32(process.processIdentifier))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return identity
    }
}
