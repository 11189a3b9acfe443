import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Work that does not block the instance's context.
@Suite struct OffThreadTests {
    @Test("CD-17: initial results are evaluated on another thread while the context continues")
    func initialResultsAreEvaluatedOnAnotherThread() throws {
        let here = try LoopLab(3)
        let (works, diary, table) = (HeldWorks(), here.diary, here.lab.table)
        here.instance.observers.evaluate = works.hold
        func observe() throws -> ObservationToken {
            try here.instance.observe(table: table, Query("age > 0 SORT(age DESC)")) {
                diary.note($0.text("objects"))
            }
        }
        let token = try observe()
        #expect(works.count == 1)
        // Nothing is evaluated or notified before the background work runs.
        while here.loop.run() {}
        #expect(here.news() == [])
        works.runAll()
        #expect(here.news() == [])
        while here.loop.run() {}
        #expect(here.news() == ["objects initial"])
        token.invalidate()
        // The initial call does not report the writer's own change.
        let other = try observe()
        try here.setAge(0, 10)
        #expect(here.news() == ["objects initial"])
        works.runAll()
        while here.loop.run() {}
        #expect(here.news() == ["objects -[] +[0] *[]"])
        try here.setAge(1, 0)
        works.runAll()
        here.loop.run()
        #expect(here.news() == ["objects -[2] +[] *[]"])
        other.invalidate()
        try here.audit()
    }

    @Test("CD-17: results are evaluated on another thread, invalid queries are reported at once")
    func evaluationRunsOnAnotherThread() throws {
        let here = try LoopLab(1)
        let threads = Diary()
        here.instance.observers.evaluate = { work in
            BackgroundWorker.run {
                threads.note("\(Threads.current)")
                work()
            }
        }
        try here.observe()
        #expect(threads.all.count == 1 && threads.all != ["\(Threads.current)"])
        #expect(throws: RealmError.self) {
            _ = try here.instance.observe(table: here.lab.table, Query("size > 0")) { _ in }
        }
        try here.audit()
    }

    @Test("CD-17: the background worker runs work of all threads in order")
    func theBackgroundWorkerRunsWorkInOrder() {
        let diary = Diary()
        for round in 0..<50 {
            for i in 0..<3 { BackgroundWorker.run { diary.note("\(round) \(i)") } }
            if round % 10 == 0 { diary.wait(for: 3 * (round + 1)) }
        }
        diary.wait(for: 150)
        #expect(diary.all == (0..<50).flatMap { round in (0..<3).map { "\(round) \($0)" } })
    }

    @Test("ACT-23: waiting for the writer's turn does not block the context")
    func waitingForTheTurnDoesNotBlockTheContext() async throws {
        let lab = try InstanceLab()
        let (holder, diary) = (WorkQueue("holder"), Diary())
        let path = lab.path
        let held = holder.sync {
            var options = WriteSession.Options()
            options.isDurable = false
            options.isSeparate = true
            let session = try! WriteSession(path: path, options: options)
            return Unchecked((session, try! session.begin()))
        }
        let place = WritingPlace(diary)
        try await place.open(lab)
        try await place.write(lab)
        for i in 0..<3 { await place.note("other work \(i)") }
        #expect(diary.all == ["asked"] + (0..<3).map { "other work \($0)" })
        diary.note("turn given up")
        holder.sync { held.value.1.rollback() }
        try await eventually { diary.all.count == 7 }
        #expect(diary.all.suffix(3) == ["turn given up", "block", "complete"])
        await place.close()
        holder.close()
        try lab.audit()
    }

    @Test("ACT-24: data is written and synced on another thread")
    func syncsRunOnAnotherThread() throws {
        let (loop, gate, diary) = (ThreadLoop(), SyncGate(), Diary())
        let (lab, instance) = try InstanceLab.held(gate, loop)
        gate.close()
        try instance.writeAsync { _ in
            _ = try! lab.add(instance)
            diary.note("block")
        } onComplete: { error in
            diary.note("complete \(error == nil)")
        }
        diary.note("asked")
        loop.run { diary.all.count == 2 }
        gate.waitForSync()
        for i in 0..<3 {
            #expect(loop.confinement.post { diary.note("other work \(i)") })
            loop.run()
        }
        #expect(diary.all == ["asked", "block"] + (0..<3).map { "other work \($0)" })
        gate.open()
        loop.run { diary.all.count == 6 }
        #expect(diary.all.last == "complete true")
        try finish(lab, instance, loop)
    }

    @Test("ACT-25: the calling thread writes nothing and syncs nothing")
    func theCallingThreadWritesAndSyncsNothing() throws {
        let (loop, gate) = (ThreadLoop(), SyncGate())
        let (lab, instance) = try InstanceLab.held(gate, loop)
        var completed = 0
        for i in 0..<20 {
            try instance.writeAsync(allowGrouping: i % 2 == 0) { _ in
                _ = try! lab.add(instance)
            } onComplete: { _ in
                completed += 1
            }
        }
        loop.run { completed == 20 }
        let threads = gate.writingThreads.union(gate.syncingThreads)
        #expect(!threads.contains(Threads.current))
        #expect(!gate.writingThreads.isEmpty && gate.passed >= 2)
        try finish(lab, instance, loop)
    }

    private func finish(_ lab: InstanceLab, _ instance: Instance, _ loop: ThreadLoop) throws {
        loop.run { !instance.isPerformingAsynchronousWriteOperations }
        instance.close()
        try lab.audit()
    }
}

/// Holds background work until the test runs it on another thread.
final class HeldWorks: @unchecked Sendable {
    private var works: [@Sendable () -> Void] = []
    var count: Int { works.count }

    func hold(_ work: @escaping @Sendable () -> Void) { works.append(work) }

    func runAll() {
        let box = Unchecked(works)
        works = []
        Threads.run(2) { index in
            if index == 1 { for work in box.value { work() } }
        }
    }
}

private actor WritingPlace {
    private let diary: Diary
    private var instance: Instance?

    init(_ diary: Diary) { self.diary = diary }

    func open(_ lab: InstanceLab) throws { instance = try lab.open(on: Confinement(self)) }

    func write(_ lab: InstanceLab) throws {
        guard let instance else { return }
        let diary = diary
        try instance.writeAsync { _ in
            _ = try! lab.add(instance)
            diary.note("block")
        } onComplete: { _ in
            diary.note("complete")
        }
        diary.note("asked")
    }

    func note(_ line: String) { diary.note(line) }

    func close() {
        instance?.close()
        instance = nil
    }
}
