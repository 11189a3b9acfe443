import Glibc
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Notification of instances about commits of others.
@Suite struct CommitListenerTests {
    /// A database with an instance on a queue that records its versions.
    private final class Watched: @unchecked Sendable {
        let lab: InstanceLab
        let queue = WorkQueue("watched")
        let diary = Diary()
        private var instance: Instance?
        private var token: ObservationToken?

        init() throws {
            lab = try InstanceLab()
            let diary = diary
            queue.sync { [self] in
                instance = try? lab.open(on: queue.confinement)
                token = instance?.observe { notice in diary.note("\(notice)") }
            }
        }

        var note: String { lab.path + ".note" }

        func end() throws {
            queue.sync { [self] in
                token = nil
                instance?.close()
                instance = nil
            }
            queue.close()
            try lab.audit()
        }
    }

    /// Commits through a session that shares only the files with the instance.
    private func commit(_ lab: InstanceLab) throws {
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: lab.path, options: options)
        let transaction = try session.begin()
        _ = try transaction.create(in: lab.table)
        try transaction.commit()
    }

    @Test("commits are announced at the FIFO that the listener creates")
    func commitsAreReportedThroughTheFIFO() throws {
        let watched = try Watched()
        #expect(access(watched.note, F_OK) == 0)
        for i in 1...3 {
            try commit(watched.lab)
            watched.diary.wait(for: i)
        }
        #expect(watched.diary.all == Array(repeating: "didChange", count: 3))
        try watched.end()
    }

    @Test("commits of programs that use another FIFO are found by polling")
    func unannouncedCommitsAreFoundByPolling() throws {
        let watched = try Watched()
        // Without a FIFO the writer announces nothing.
        unlink(watched.note)
        for i in 1...3 {
            try commit(watched.lab)
            watched.diary.wait(for: i)
        }
        try watched.end()
    }

    @Test("writers announce commits to a FIFO that is created after they opened the file")
    func writersAnnounceToAFIFOThatIsCreatedLater() throws {
        let lab = try InstanceLab()
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: lab.path, options: options)
        let waiter = try #require(SignalWaiter())
        let place = DatabasePath(lab.path)
        let other = try lab.open()
        let fifo = try #require(CompanionFile.fifo(place.note) { .ofNewDatabase })
        defer { close(fifo) }
        #expect(waiter.add(fifo, 7))
        let transaction = try session.begin()
        _ = try transaction.create(in: lab.table)
        try transaction.commit()
        #expect(waiter.wait(microseconds: 60_000_000) == [7])
        other.close()
        try lab.audit()
    }

    /// Ten databases without commits cause fewer than ten wake-ups per second in total.
    @Test func idleDatabasesCauseFewWakeUps() throws {
        let all = try (0..<10).map { _ in try Watched() }
        let listener = try #require(CommitListener.shared)
        // Other tests may have committed recently.
        let calm = (0..<100).contains { _ in
            let before = listener.wakes
            Deadline.sleep(milliseconds: 1000)
            return listener.wakes - before < 10
        }
        #expect(calm)
        for watched in all { try watched.end() }
    }

    @Test func ringingEndsAWait() throws {
        let waiter = try #require(SignalWaiter())
        waiter.wake()
        #expect(waiter.wait(microseconds: nil) == [])
        #expect(waiter.wait(microseconds: 0) == nil)
    }
}
