import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Rules of asynchronous writes in a program with a main thread.
@Suite struct AsyncRuleTests {
    enum Change: CaseIterable { case add, modify, delete }

    @Test("THR-11: writeAsync adds, modifies and deletes", arguments: Change.allCases)
    func writeAsyncAddsModifiesAndDeletes(_ change: Change) throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        var key = ObjectKey(0)
        try instance.write { (_) throws(RealmError) in key = try lab.add(instance, age: 1) }
        var isDone = false
        try instance.writeAsync { transaction in
            switch change {
            case .add: _ = try! lab.add(instance, age: 2)
            case .modify: try! transaction.set(lab.table, key, 0, .int(2))
            case .delete: try! transaction.remove(lab.table, key)
            }
        } onComplete: { error in
            #expect(error == nil)
            isDone = true
        }
        loop.run { isDone }
        // Content of the file, as other processes read it.
        let snapshot = try Database(immutable: lab.path).snapshot()
        let table = try snapshot.table(lab.table)
        let ages = try table.keys().map { (key) -> Int64 in
            guard case .int(let age)? = try table.row(key)?.value(0) else { return -1 }
            return age
        }
        #expect(ages == [.add: [1, 2], .modify: [2], .delete: []][change])
        instance.close()
        try lab.audit()
    }

    @Test("THR-12: a block of writeAsync changes the live objects of its caller")
    func blocksChangeTheObjectsOfTheirCaller() throws {
        let lab = try KindsLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        let ann = try lab.thing(.object, of: instance)
        let dogs = try lab.thing(.list, of: instance)
        let lucky = try lab.thing(.set, of: instance)
        var isDone = false
        try instance.writeAsync { _ in
            // The block uses the live references directly, without handles or frozen copies.
            try! ann.forWriting().set(
                lab.person, lab.ann, KindsLab.Column.age.rawValue, .int(44))
            try! lab.addDog(dogs.forWriting(), age: 8)
            try! lucky.forWriting().setElements(
                lab.person, lab.ann, KindsLab.Column.lucky.rawValue, [.int(1)])
            #expect((try? lab.read(dogs)) == "dog 5, dog 8")
        } onComplete: { error in
            #expect(error == nil)
            isDone = true
        }
        #expect(try lab.read(ann) == "30")
        loop.run { isDone }
        #expect(try lab.read(ann) == "44")
        #expect(try lab.read(dogs) == "dog 5, dog 8")
        #expect(try lab.read(lucky) == "1")
        instance.close()
        try lab.audit()
    }

    @Test("THR-16: the completion finds three objects that the block appended to a list")
    func theCompletionReadsAppendedObjects() throws {
        let lab = try KindsLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        let dogs = try lab.thing(.list, of: instance)
        var found = ""
        try instance.writeAsync { transaction in
            for age in 1...3 { try! lab.addDog(transaction, age: Int64(age)) }
        } onComplete: { error in
            found = error?.message ?? (try? lab.read(dogs)) ?? "unreadable"
        }
        loop.run { !found.isEmpty }
        #expect(found == "dog 5, dog 1, dog 2, dog 3")
        instance.close()
        try lab.audit()
    }

    enum Ending: CaseIterable { case commit, commitAsync, cancel }

    @Test("THR-23: a block of writeAsync may end its transaction", arguments: Ending.allCases)
    func blocksEndTheirTransaction(_ ending: Ending) throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        let before = instance.version
        var diary: [String] = []
        try instance.writeAsync { _ in
            _ = try! lab.add(instance)
            switch ending {
            case .commit: try! instance.commitWrite()
            case .commitAsync:
                _ = try! instance.commitAsyncWrite { diary.append("own \($0 == nil)") }
            case .cancel: instance.cancelWrite()
            }
            #expect(!instance.isInWriteTransaction)
            diary.append("\(lab.count(instance))")
        } onComplete: { _ in
            diary.append("a second end")
        }
        loop.run { !instance.isPerformingAsynchronousWriteOperations }
        switch ending {
        case .commit: #expect(diary == ["1"])
        case .commitAsync: #expect(diary == ["1", "own true"])
        case .cancel: #expect(diary == ["0"])
        }
        // A commit makes one version, a rollback none.
        let commits: UInt64 = ending == .cancel ? 0 : 1
        try lab.settle()
        #expect(try Database(immutable: lab.path).version == before + commits)
        try instance.refresh()
        #expect(lab.count(instance) == Int(commits))
        instance.close()
        try lab.audit()
    }

    @Test("THR-19: writes are under way after commitAsyncWrite, until its completion")
    func writesAreUnderWayUntilTheCompletion() throws {
        let (loop, gate) = (ThreadLoop(), SyncGate())
        let (lab, instance) = try InstanceLab.held(gate, loop)
        var diary: [String] = []
        _ = try lab.commitHeld(instance, loop, gate) { _ in
            diary.append("durable")
        } returned: {
            diary.append("busy \(instance.isPerformingAsynchronousWriteOperations)")
        }
        loop.run()
        // The block has ended; the commit is still pending.
        #expect(instance.isPerformingAsynchronousWriteOperations)
        gate.open()
        gate.waitForSyncs(2)
        #expect(instance.isPerformingAsynchronousWriteOperations, "the completion is yet to run")
        loop.run { diary.count == 2 }
        loop.run { !instance.isPerformingAsynchronousWriteOperations }
        #expect(diary == ["busy true", "durable"])
        instance.close()
        try lab.audit()
    }

    @Test("THR-19: writes are under way after commitAsyncWrite of a synchronous begin")
    func asyncCommitsOfSynchronousBeginsAreUnderWay() throws {
        let lab = try InstanceLab()
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        try instance.beginWrite()
        _ = try lab.add(instance)
        #expect(!instance.isPerformingAsynchronousWriteOperations)
        var isDone = false
        try instance.commitAsyncWrite { _ in isDone = true }
        #expect(!isDone && instance.isPerformingAsynchronousWriteOperations)
        loop.run { isDone }
        #expect(!instance.isPerformingAsynchronousWriteOperations)
        #expect(lab.count(instance) == 1)
        instance.close()
        try lab.audit()
    }

    @Test("THR-28: commitAsyncWrite returns at once; another thread waits for the device")
    func commitAsyncWriteReturnsBeforeTheSync() throws {
        let (loop, gate) = (ThreadLoop(), SyncGate())
        let (lab, instance) = try InstanceLab.held(gate, loop)
        var diary: [String] = []
        _ = try lab.commitHeld(instance, loop, gate) {
            diary.append("durable \($0 == nil)")
        } returned: {
            diary.append("returned")
        }
        // While the sync blocks, this thread reads its data and requests another write.
        #expect(lab.count(instance) == 1)
        try instance.writeAsync { _ in
            _ = try! lab.add(instance)
        } onComplete: { _ in
            diary.append("second")
        }
        loop.run()
        #expect(diary == ["returned"] && gate.passed == 0)
        gate.open()
        loop.run { diary.count == 3 }
        #expect(diary == ["returned", "durable true", "second"])
        #expect(gate.passed >= 4)
        #expect(!gate.syncingThreads.contains(Threads.current))
        instance.close()
        try lab.audit()
    }

    @Test(
        "THR-14: releasing an instance waits until its commits are durable",
        arguments: [false, true])
    func releasingAnInstanceWaitsForItsCommits(_ closes: Bool) throws {
        let (loop, gate) = (ThreadLoop(), SyncGate())
        let (lab, instance) = try InstanceLab.held(gate, loop)
        gate.close()
        var diary: [String] = []
        try instance.writeAsync { _ in
            _ = try! lab.add(instance)
            diary.append("block")
        } onComplete: { error in
            diary.append("durable \(error == nil)")
        }
        loop.run { !diary.isEmpty }
        gate.waitForSync()
        let opener = Threads.detach {
            // Long enough for `close` or `invalidate` to return too early, if it did.
            Deadline.sleep(milliseconds: 30)
            gate.open()
        }
        #expect(opener && gate.passed == 0)
        if closes { instance.close() } else { instance.invalidate() }
        #expect(gate.passed >= 2 && gate.isIdle)
        #expect(try Database(immutable: lab.path).snapshot().table(lab.table).count() == 1)
        // The commit is durable, but its completion runs only in the loop.
        #expect(diary == ["block"] && instance.isPerformingAsynchronousWriteOperations)
        loop.run { !instance.isPerformingAsynchronousWriteOperations }
        #expect(diary == ["block", "durable true"])
        try lab.audit()
    }

    @Test("THR-07: write waits for the holder of the turn, writeAsync returns at once")
    func writeWaitsForTheTurnAndWriteAsyncReturns() throws {
        let lab = try InstanceLab()
        let (background, diary, slot) = (WorkQueue("background"), Diary(), InstanceSlot())
        background.sync {
            slot.instance = try! lab.open(on: background.confinement)
            try! slot.instance.beginWrite()
        }
        let loop = ThreadLoop()
        let instance = try lab.open(on: loop.confinement)
        try instance.writeAsync { _ in diary.note("block") }
        diary.note("writeAsync returned")
        loop.run()
        #expect(try !instance.tryBeginWrite(), "the turn is the other one's")
        background.async {
            Deadline.sleep(milliseconds: 30)
            diary.note("the other commits")
            _ = try! lab.add(slot.instance)
            try! slot.instance.commitWrite()
        }
        try instance.write { (_) throws(RealmError) in
            diary.note("write, \(lab.count(instance))")
        }
        loop.run { !instance.isPerformingAsynchronousWriteOperations }
        #expect(
            diary.all == ["writeAsync returned", "the other commits", "write, 1", "block"])
        background.close()
        instance.close()
        try lab.audit()
    }
}
