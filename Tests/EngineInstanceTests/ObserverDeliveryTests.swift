import RealmActors
import SessionSupport
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Time and context of notifications.
@Suite struct ObserverDeliveryTests {
    @Test("ACT-41: local writes are notified some time after the commit")
    func localWritesAreNotifiedAfterTheCommit() throws {
        let here = try LoopLab(2)
        here.observeInstance()
        here.observeObject(0)
        try here.observe()
        #expect(here.news() == ["objects initial"])
        try here.setAge(0, 7)
        // Observers of the instance are called inside the commit.
        #expect(here.news() == ["instance didChange"])
        here.loop.run()
        #expect(here.news() == ["object changed([0])", "objects -[] +[] *[0]"])
        here.loop.run()
        #expect(here.news() == [])
        try here.audit()
    }

    @Test("ACT-41: pending notifications are delivered before the next write begins, or by refresh")
    func pendingNotificationsPrecedeTheNextWrite() throws {
        let here = try LoopLab(2)
        try here.observe()
        try here.setAge(0, 7)
        try here.setAge(1, 7)
        let key = here.keys[0]
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(here.lab.table, key)
        }
        // The second and third write delivered the pending notifications when they began.
        #expect(
            here.news() == [
                "objects initial", "objects -[] +[] *[0]", "objects -[] +[] *[1]",
            ])
        #expect(try !here.instance.refresh())
        #expect(here.news() == ["objects -[0] +[] *[]"])
        here.loop.run()
        #expect(here.news() == [])
        try here.audit()
    }

    @Test("ACT-41: asynchronous local writes are notified after their block")
    func asynchronousWritesAreNotifiedAfterTheirBlock() throws {
        let here = try LoopLab(1)
        try here.observe()
        let (instance, lab, diary) = (here.instance, here.lab, here.diary)
        for age in 0..<2 {
            try instance.writeAsync(allowGrouping: true) { _ in
                _ = try! lab.add(instance, age: Int64(age))
                diary.note("block")
            }
        }
        while instance.isPerformingAsynchronousWriteOperations {
            here.loop.run(milliseconds: 100)
        }
        here.loop.run()
        let news = here.news()
        #expect(news.prefix(2) == ["objects initial", "block"])
        let told = news.filter { $0.hasPrefix("objects -") }
        #expect(
            told == ["objects -[] +[1, 2] *[]"]
                || told == ["objects -[] +[1] *[]", "objects -[] +[2] *[]"])
        try here.audit()
    }

    @Test("ACT-41: an observer may write and is notified of that later")
    func writesOfAnObserverAreNotifiedLater() throws {
        let here = try LoopLab(1)
        let (instance, table, diary) = (here.instance, here.lab.table, here.diary)
        let link = here.link(0)
        var left = 2
        let first = instance.observe(object: link) { _ in
            diary.note("first begins")
            if left > 0 {
                left -= 1
                try! instance.write { (transaction) throws(RealmError) in
                    try transaction.set(table, link.key, 0, .int(Int64(100 + left)))
                }
            }
            diary.note("first ends")
        }
        here.observeObject(0)
        try here.setAge(0, 7)
        while here.loop.run() {}
        // An observer that is notified during another's write receives each change, in order.
        #expect(
            here.news() == [
                "first begins", "object changed([0])", "first ends",
                "first begins", "object changed([0])", "first ends",
                "first begins", "first ends", "object changed([0])",
            ])
        first.invalidate()
        try here.audit()
    }

    @Test("ACT-39: blocks of an actor's observers run on its executor")
    func notificationsRunOnTheActorsExecutor() async throws {
        let lab = try InstanceLab()
        let kennel = ObservingKennel()
        try await kennel.observe(lab)
        let diary = kennel.diary
        try await eventually { diary.all == ["objects initial"] }
        try await kennel.add(lab)
        try await eventually { diary.all.count == 3 }
        #expect(diary.all == ["objects initial", "committed", "objects -[] +[0] *[]"])
        // Also for writes of another context.
        let queue = WorkQueue("writer")
        queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            try! instance.write { (_) throws(RealmError) in _ = try lab.add(instance) }
        }
        try await eventually { diary.all.count == 4 }
        #expect(diary.all.last == "objects -[] +[1] *[]")
        await kennel.close()
        queue.close()
        try lab.audit()
    }

    @Test("ACT-40: commits of another process are notified when the instance advances to them")
    func commitsOfOtherProcessesAreNotified() throws {
        let folder = try ScratchFolder()
        let path = folder.file("counters.realm")
        let counters = try Counters(path, isDurable: false)
        var configuration = Instance.Configuration(path: path)
        configuration.isDurable = false
        configuration.autorefresh = false
        let (loop, diary) = (ThreadLoop(), Diary())
        let instance = try Instance.open(configuration, on: loop.confinement)
        let table = try #require(instance.table(named: "Left")?.target.table)
        let object = ObjectLink(table: table, key: try instance.snapshot().table(table).keys()[0])
        let token = instance.observe(object: object) { diary.note($0.text("object")) }
        let peer = PeerProcess(["write", path, "3"])
        #expect(peer.wait() == 0)
        loop.run()
        #expect(diary.all == [])
        #expect(try instance.refresh())
        #expect(diary.all == ["object changed([0, 1])"])
        token.invalidate()
        instance.close()
        _ = counters
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    @Test("ACT-43: no notification follows the release of a token")
    func releasingATokenEndsNotifications() throws {
        let here = try LoopLab(1)
        let diary = here.diary
        var dropped: ObservationToken? = here.instance.observe(object: here.link(0)) { _ in
            diary.note("dropped")
        }
        var kept = [
            try here.instance.observe(table: here.lab.table) { diary.note($0.text("kept")) },
            try here.instance.observe(table: here.lab.table) { diary.note($0.text("late")) },
        ]
        // Also before `initial`.
        kept.removeLast()
        here.deliverInitial()
        try here.setAge(0, 1)
        here.loop.run()
        #expect(here.news() == ["kept initial", "dropped", "kept -[] +[] *[0]"])
        #expect(dropped != nil)
        dropped = nil
        try here.setAge(0, 2)
        // The notification was posted before the token was released.
        kept = []
        here.loop.run()
        #expect(here.diary.all.count == 3)
        try here.audit()
    }
}

extension ConfinedTarget {
    fileprivate var table: TableKey? {
        if case .table(let key) = self { key } else { nil }
    }
}

private actor ObservingKennel {
    let diary = Diary()
    private var instance: Instance?
    private var token: ObservationToken?

    func observe(_ lab: InstanceLab) throws {
        let instance = try lab.open(on: Confinement(self))
        self.instance = instance
        let diary = diary
        token = try instance.observe(table: lab.table) { [unowned self] notice in
            self.preconditionIsolated()
            diary.note(notice.text("objects"))
        }
    }

    func add(_ lab: InstanceLab) throws {
        guard let instance else { return }
        try instance.write { (_) throws(RealmError) in _ = try lab.add(instance) }
        diary.note("committed")
    }

    func close() {
        token = nil
        instance?.close()
        instance = nil
    }
}
