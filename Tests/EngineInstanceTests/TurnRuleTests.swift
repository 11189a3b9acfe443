import RealmActors
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Order of write transactions, and visibility of their changes.
@Suite struct TurnRuleTests {
    @Test("THR-06: a transaction begins when the previous one has ended", arguments: [false, true])
    func aTransactionWaitsForThePreviousOne(_ commits: Bool) throws {
        let lab = try InstanceLab()
        let diary = Diary()
        let (one, two) = (WorkQueue("one"), WorkQueue("two"))
        let (first, second) = (InstanceSlot(), InstanceSlot())
        one.sync {
            first.instance = try! lab.open(on: one.confinement)
            try! first.instance.beginWrite()
            _ = try! lab.add(first.instance)
        }
        two.async {
            second.instance = try! lab.open(on: two.confinement)
            diary.note("second asks")
            try! second.instance.beginWrite()
            diary.note("second begins with \(lab.count(second.instance))")
            second.instance.cancelWrite()
        }
        diary.wait(for: 1)
        // Long enough for the second to begin too early, if it could.
        Deadline.sleep(milliseconds: 30)
        one.sync {
            diary.note("first ends")
            if commits { try! first.instance.commitWrite() } else { first.instance.cancelWrite() }
        }
        diary.wait(for: 3)
        #expect(
            diary.all == ["second asks", "first ends", "second begins with \(commits ? 1 : 0)"])
        one.close()
        two.close()
        try lab.audit()
    }

    @Test("THR-06: a transaction waits for a writer of another process")
    func processesTakeTurns() throws {
        let folder = try ScratchFolder()
        let path = folder.file("turn.realm")
        _ = try Counters(path, isDurable: false)
        var configuration = Instance.Configuration(path: path)
        configuration.isDurable = false
        let here = try Instance.open(configuration)
        let writer = PeerProcess(["turn", path])
        _ = try #require(writer.waitFor("writes"), "\(writer.text)")
        #expect(try !here.tryBeginWrite())
        let (diary, box) = (Diary(), Unchecked(writer))
        let isStarted = Threads.detach {
            diary.wait(for: 1)
            Deadline.sleep(milliseconds: 30)
            diary.note("other ends")
            box.value.kill()
        }
        #expect(isStarted)
        diary.note("this one asks")
        try here.beginWrite()
        diary.note("this one begins")
        here.cancelWrite()
        #expect(diary.all == ["this one asks", "other ends", "this one begins"])
        here.close()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end", crashed: true)
    }

    @Test("THR-36: two instances find one object by its primary key and change it")
    func twoInstancesChangeOneObject() throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let queue = WorkQueue("other")
        let (slot, diary) = (InstanceSlot(), Diary())
        func find(_ instance: Instance) throws(RealmError) -> ObjectKey? {
            try instance.snapshot().table(lab.person).find(primaryKey: .int(1))
        }
        let mine = try #require(try find(here))
        try here.beginWrite()
        queue.async {
            slot.instance = try! lab.open(on: queue.confinement)
            let theirs = try! slot.instance.snapshot().table(lab.person)
                .find(primaryKey: .int(1))!
            diary.note("found \(theirs == mine)")
            // Waits for the other write transaction to end, then sees its changes.
            try! slot.instance.write { (transaction) throws(RealmError) in
                diary.note(try lab.read(lab.thing(.object, of: slot.instance)))
                try transaction.setElements(
                    lab.person, theirs, KindsLab.Column.lucky.rawValue, [.int(2)])
            }
            diary.note("written")
        }
        diary.wait(for: 1)
        try here.write.set(lab.person, mine, KindsLab.Column.age.rawValue, .int(31))
        try here.commitWrite()
        diary.wait(for: 3)
        #expect(diary.all == ["found true", "31", "written"])
        try here.refresh()
        #expect(try lab.read(lab.thing(.object, of: here)) == "31")
        #expect(try lab.read(lab.thing(.set, of: here)) == "2")
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test("THR-62: a thread's loop advances its instance when it runs")
    func aThreadsLoopAdvancesItsInstance() throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        #expect(lab.count(instance) == 0)
        Self.write(lab)
        // The version does not change before the code returns to the loop.
        #expect(lab.count(instance) == 0)
        loop.run { lab.count(instance) == 1 }
        instance.autorefresh = false
        var notices: [InstanceNotice] = []
        let token = instance.observe { notices.append($0) }
        Self.write(lab)
        loop.run { !notices.isEmpty }
        #expect(lab.count(instance) == 1)
        try instance.refresh()
        #expect(lab.count(instance) == 2)
        token.invalidate()
        instance.close()
        try lab.audit()
    }

    @Test("THR-62: an actor's instance advances by itself") func anActorsInstanceAdvances()
        async throws
    {
        let lab = try InstanceLab()
        let (counts, sink) = AsyncStream.makeStream(of: Int.self)
        let watcher = Watcher()
        #expect(try await watcher.open(lab, sink) == 0)
        Self.write(lab)
        for await count in counts {
            #expect(count == 1)
            break
        }
        #expect(await watcher.count(lab) == 1)
        await watcher.close()
        try lab.audit()
    }

    /// Adds one object on a separate queue.
    private static func write(_ lab: InstanceLab) {
        let queue = WorkQueue("writer")
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            try! instance.write { (_) throws(RealmError) in _ = try lab.add(instance) }
        }
        queue.close()
    }
}

private actor Watcher {
    private var instance: Instance?
    private var token: ObservationToken?

    func open(_ lab: InstanceLab, _ sink: AsyncStream<Int>.Continuation) throws -> Int {
        let opened = try lab.open(on: Confinement(self))
        instance = opened
        let count = lab.count(opened)
        token = opened.observe { [unowned opened] _ in sink.yield(lab.count(opened)) }
        return count
    }

    func count(_ lab: InstanceLab) -> Int { lab.count(instance!) }

    func close() {
        token?.invalidate()
        instance?.close()
        (instance, token) = (nil, nil)
    }
}
