import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct InstanceTests {
    @Test("THR-33 THR-34 THR-60 CD-03 CD-04: one instance per context, one database per file")
    func eachContextHasOneInstance() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        #expect(here === (try lab.open()))
        let queue = WorkQueue("other")
        let isSame = queue.sync {
            let there = try! lab.open(on: queue.confinement)
            return (there === (try! lab.open(on: queue.confinement)), ObjectIdentifier(there))
        }
        #expect(isSame.0)
        #expect(isSame.1 != ObjectIdentifier(here))
        queue.close()
    }

    @Test("THR-38 THR-61 THR-63 CD-13 CD-16: a thread stays at its version until refresh")
    func aThreadStaysAtItsVersionUntilRefresh() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        #expect(lab.count(here) == 0)
        let other = WorkQueue("writer")
        other.sync { try! write(lab, on: other) }
        #expect(lab.count(here) == 0)
        #expect(try here.refresh())
        #expect(lab.count(here) == 1)
        #expect(try !here.refresh())
        other.close()
        here.close()
        try lab.audit()
    }

    private func write(_ lab: InstanceLab, on queue: WorkQueue) throws {
        let instance = try lab.open(on: queue.confinement)
        try instance.beginWrite()
        _ = try lab.add(instance)
        try instance.commitWrite()
    }

    @Test("THR-37 THR-62 THR-64 CD-16: a queue advances to new versions unless autorefresh is off")
    func aQueueAdvancesUnlessAutorefreshIsOff() throws {
        let lab = try InstanceLab()
        let (reader, diary) = (WorkQueue("reader"), Diary())
        let holder = reader.sync { Unchecked(try! lab.open(on: reader.confinement)) }
        let token = reader.sync {
            let instance = holder.value
            return Unchecked(
                instance.observe { notice in diary.note("\(notice) \(lab.count(instance))") })
        }
        let here = try lab.open()
        try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
        diary.wait(for: 1)
        #expect(diary.all == ["didChange 1"])
        reader.sync { holder.value.autorefresh = false }
        try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
        diary.wait(for: 2)
        #expect(diary.all.last == "refreshRequired 1")
        reader.sync { _ = try! holder.value.refresh() }
        #expect(diary.all.last == "didChange 2")
        token.value.invalidate()
        reader.close()
    }

    @Test("THR-06 THR-93 CD-26: writers take turns and begin at the newest version")
    func writersTakeTurns() throws {
        let lab = try InstanceLab()
        let queues = (0..<4).map { WorkQueue("writer \($0)") }
        for queue in queues {
            queue.async {
                for _ in 0..<20 { try! write(lab, on: queue) }
            }
        }
        for queue in queues { queue.close() }
        let here = try lab.open()
        #expect(lab.count(here) == 80)
        here.close()
        try lab.audit()
    }

    @Test("CD-26 CD-27: tryBeginWrite does not wait")
    func tryBeginWriteDoesNotWait() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        try here.beginWrite()
        let other = WorkQueue("other")
        let got = other.sync { try! lab.open(on: other.confinement).tryBeginWrite() }
        #expect(!got)
        here.cancelWrite()
        #expect(
            other.sync {
                let instance = try! lab.open(on: other.confinement)
                let got = try! instance.tryBeginWrite()
                instance.cancelWrite()
                return got
            })
        other.close()
    }

    @Test("CD-29: an instance released inside a write transaction releases its turn")
    func aReleasedWriterReleasesItsTurn() throws {
        let lab = try InstanceLab()
        do {
            let dropped = try lab.open()
            try dropped.beginWrite()
            _ = try lab.add(dropped)
        }
        let here = try lab.open()
        #expect(try here.tryBeginWrite())
        here.cancelWrite()
        #expect(lab.count(here) == 0)
    }

    @Test("THR-83: invalidate unpins the version")
    func invalidateUnpinsTheVersion() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        var key = ObjectKey(0)
        try here.write { (_) throws(RealmError) in key = try lab.add(here) }
        let object = here.object(ObjectLink(table: lab.table, key: key))
        #expect(!object.isInvalidated)
        here.invalidate()
        #expect(object.isInvalidated)
        _ = here.snapshot()
        #expect(!object.isInvalidated)
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(lab.table, key)
        }
        #expect(object.isInvalidated)
    }

    @Test(
        "THR-39 THR-65 THR-66 THR-68 THR-70 THR-71 THR-76 THR-77 THR-81 CD-23: frozen views stay the same"
    )
    func frozenViewsDoNotChange() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        var key = ObjectKey(0)
        try here.write { (_) throws(RealmError) in key = try lab.add(here, age: 1) }
        let frozen = try here.freeze()
        #expect(frozen.isFrozen && !here.isFrozen)
        #expect(frozen === (try frozen.freeze()))
        let object = try here.object(ObjectLink(table: lab.table, key: key)).freeze()
        let table = try #require(here.table(named: "Dog")).freeze()
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, key, 0, .int(2))
            _ = try lab.add(here)
        }
        here.close()
        let box = Unchecked((object, table, frozen))
        let failures = Diary()
        Threads.run(8) { _ in
            for _ in 0..<50 {
                let (object, table, frozen) = box.value
                if (try? object.row()?.value(0).isIdentical(to: .int(1))) != true
                    || (try? table.keys()?.count) != 1 || lab.count(frozen) != 1
                {
                    failures.note("read something else")
                }
            }
        }
        #expect(failures.all == [])
        let live = try #require(try object.thaw())
        #expect(!live.isFrozen)
        #expect(try live.row()?.value(0).isIdentical(to: .int(2)) == true)
    }

    @Test("THR-35 THR-78 THR-92: versions are pinned exactly while they are retained")
    func retainedVersionsArePinned() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        var held: [Instance] = []
        for i in 0..<8 {
            try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
            let frozen = try here.freeze()
            if i % 2 == 0 { held.append(frozen) }
        }
        let session = try #require(here.database.session)
        try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
        let versions = held.map(\.version)
        #expect(try session.versionsInUse() == versions + [here.version])
        held = []
        try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
        #expect(try session.versionsInUse() == [here.version])
        here.close()
        try lab.audit()
    }

    @Test("THR-78 THR-99: space of released versions is reused")
    func spaceOfReleasedVersionsIsReused() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        func rewrite() throws {
            try here.write { (transaction) throws(RealmError) in
                for key in try here.snapshot().table(lab.table).keys() {
                    try transaction.set(lab.table, key, 0, .int(.random(in: 0 ... .max)))
                }
            }
        }
        try here.write { (_) throws(RealmError) in
            for _ in 0..<2000 { _ = try lab.add(here) }
        }
        var options = WriteSession.Options()
        options.isDurable = false
        let session = try WriteSession(path: lab.path, options: options)
        for _ in 0..<10 { try rewrite() }
        let before = try session.space()
        var held: [Instance] = []
        for i in 0..<60 {
            try rewrite()
            if i % 3 == 0 { held.append(try here.freeze()) }
        }
        let holding = try session.space()
        let versions = try #require(here.database.session).versionsInUse()
        #expect(Array(versions.prefix(held.count)) == held.map(\.version))
        #expect(holding.logicalSize > 4 * before.logicalSize)
        #expect(holding.pinnedBytes > before.logicalSize)
        held = []
        for _ in 0..<60 { try rewrite() }
        let after = try session.space()
        #expect(after.logicalSize <= holding.logicalSize)
        #expect(after.pinnedBytes < before.logicalSize)
        print("before \(before), holding \(versions.count) versions \(holding), after \(after)")
        here.close()
        try lab.audit()
    }

    @Test("THR-41 THR-45 THR-49 CD-08 CD-18: a handle resolves once")
    func handlesResolveOnceOnAnotherThread() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        var keys: [ObjectKey] = []
        try here.write { (_) throws(RealmError) in
            for i in 0..<4 { keys.append(try lab.add(here, age: Int64(i))) }
        }
        let first = try ThreadSafeHandle(
            to: here.object(ObjectLink(table: lab.table, key: keys[1])))
        let second = try ThreadSafeHandle(
            to: here.object(ObjectLink(table: lab.table, key: keys[2])))
        let query = try Query("age > 0 SORT(age DESC)")
        let results = try ThreadSafeHandle(to: here.results(lab.table, query))
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(lab.table, keys[2])
        }
        let queue = WorkQueue("target")
        let outcome = queue.sync { [keys] in
            let instance = try! lab.open(on: queue.confinement)
            _ = instance.snapshot()
            let one = try! first.resolve(in: instance)
            let two = try! second.resolve(in: instance)
            let three = try! results.resolve(in: instance)
            return [
                (try? one?.row()?.value(0).isIdentical(to: .int(1))) == true,
                two == nil, (try? three?.keys()).map { Array($0!) } == [keys[3], keys[1]],
                first.isInvalidated,
            ]
        }
        #expect(outcome == [true, true, true, true])
        queue.close()
        #expect(throws: RealmError.self) {
            try ThreadSafeHandle(to: here.object(ObjectLink(table: lab.table, key: keys[2])))
        }
    }

    @Test("ACT-01 ACT-20: an actor's instance stays usable after await")
    func anActorsInstanceStaysUsableAfterAwait() async throws {
        let lab = try InstanceLab()
        let kennel = Kennel()
        try await kennel.open(lab)
        for _ in 0..<10 { try await kennel.add(lab) }
        #expect(await kennel.count(lab) == 10)
        await kennel.close()
        try lab.audit()
    }

    @Test("THR-09 THR-60 CD-06 CD-07 CD-23: using a thread's instance on another thread traps")
    func usingAnInstanceOnAnotherThreadTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try InstanceLab()
            let box = Unchecked(try lab.open())
            Threads.run(2) { index in
                if index == 1 { _ = box.value.version }
            }
        }
        #expect(result.said.contains("Realm accessed from incorrect thread. It belongs to thread"))
    }

    @Test("THR-73: writing on a frozen instance traps") func writingOnAFrozenInstanceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let frozen = try InstanceLab().open().freeze()
            try frozen.beginWrite()
        }
        #expect(result.said.contains("Can't perform transactions on a frozen Realm"))
    }

    @Test("THR-74: changing a frozen object traps") func changingAFrozenObjectTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try InstanceLab()
            let here = try lab.open()
            try here.beginWrite()
            let key = try lab.add(here)
            try here.commitWrite()
            let object = try here.object(ObjectLink(table: lab.table, key: key)).freeze()
            _ = object.forWriting()
        }
        #expect(result.said.contains("Attempting to modify a frozen object"))
    }

    @Test("THR-75: observing a frozen instance traps") func observingAFrozenInstanceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let frozen = try InstanceLab().open().freeze()
            _ = frozen.observe { _ in }
        }
        #expect(result.said.contains("Frozen Realms do not change"))
    }

    @Test("CD-28: write transactions do not nest") func writeTransactionsDoNotNest() async {
        await #expect(processExitsWith: .failure) {
            let here = try InstanceLab().open()
            try here.beginWrite()
            try here.beginWrite()
        }
    }

    @Test("the number of live versions is limited") func theNumberOfLiveVersionsIsLimited() async {
        await #expect(processExitsWith: .failure) {
            let lab = try InstanceLab()
            lab.configuration.maximumNumberOfActiveVersions = 3
            let here = try lab.open()
            var held: [Instance] = []
            for _ in 0..<5 {
                try here.write { (_) throws(RealmError) in _ = try lab.add(here) }
                held.append(try here.freeze())
            }
        }
    }
}

private actor Kennel {
    private var instance: Instance?

    func open(_ lab: InstanceLab) throws { instance = try lab.open(on: Confinement(self)) }

    func add(_ lab: InstanceLab) throws {
        try instance!.beginWrite()
        _ = try lab.add(instance!)
        try instance!.commitWrite()
    }

    func count(_ lab: InstanceLab) -> Int { lab.count(instance!) }

    func close() {
        instance?.close()
        instance = nil
    }
}
