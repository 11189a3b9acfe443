import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Freezing and thawing.
@Suite struct FrozenRuleTests {
    @Test(
        "THR-68: objects and collections of a frozen instance are frozen",
        arguments: KindsLab.Kind.allCases)
    func objectsOfAFrozenInstanceAreFrozen(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let frozen = try here.freeze()
        let thing = try lab.thing(kind, of: frozen)
        #expect(thing.isFrozen && thing.instance === frozen)
        #expect(try !lab.thing(kind, of: here).isFrozen)
        try here.write(lab.changeAll)
        #expect(try lab.read(thing) == KindsLab.contents[kind])
        // Freezing the live reference gives the same result.
        let again = try lab.thing(kind, of: here).freeze()
        #expect(again.isFrozen)
        #expect(try lab.read(again) == KindsLab.changed[kind])
        here.close()
        try lab.audit()
    }

    @Test("THR-76: isFrozen may be read on any thread", arguments: KindsLab.Kind.allCases)
    func isFrozenMayBeReadOnAnyThread(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let live = try lab.thing(kind, of: here)
        let box = Unchecked((live, try live.freeze(), here, try here.freeze()))
        let answers = Diary()
        Threads.run(3) { index in
            let (live, frozen, instance, frozenInstance) = box.value
            if index == 0 { return }
            answers.note(
                "\(live.isFrozen) \(frozen.isFrozen) \(instance.isFrozen) "
                    + "\(frozenInstance.isFrozen)")
        }
        #expect(answers.all == Array(repeating: "false true false true", count: 2))
        here.close()
    }

    @Test("THR-79: thawed objects are changed in a transaction of their instance")
    func changesThroughThawedObjectsAreCommitted() throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let frozen = try lab.thing(.object, of: here).freeze()
        let frozenList = try lab.thing(.list, of: here).freeze()
        let box = Unchecked((frozen, frozenList))
        let queue = WorkQueue("elsewhere")
        let outcome = queue.sync { () -> String in
            let ann = try! box.value.0.thaw(on: queue.confinement)!
            let dogs = try! box.value.1.thaw(on: queue.confinement)!
            guard ann.instance === dogs.instance, !ann.isInvalidated else { return "apart" }
            try! ann.instance.beginWrite()
            try! ann.forWriting().set(
                lab.person, lab.ann, KindsLab.Column.age.rawValue, .int(50))
            try! lab.addDog(dogs.forWriting(), age: 9)
            try! ann.instance.commitWrite()
            return "\(try! lab.read(ann)); \(try! lab.read(dogs))"
        }
        #expect(outcome == "50; dog 5, dog 9")
        #expect(try lab.read(frozen) == "30")
        try here.refresh()
        #expect(try lab.read(lab.thing(.object, of: here)) == "50")
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test("THR-80: a live object thaws to itself", arguments: KindsLab.Kind.allCases)
    func liveObjectsThawToThemselves(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        #expect(try here.thaw() === here)
        let thing = try lab.thing(kind, of: here)
        let thawed = try #require(try thing.thaw())
        #expect(thawed.instance === here)
        #expect(try lab.read(thawed) == KindsLab.contents[kind])
        // In a write transaction, the thawed reference shows its changes.
        try here.beginWrite()
        try lab.changeAll(here.write)
        #expect(try lab.read(try #require(try thing.thaw())) == KindsLab.changed[kind])
        here.cancelWrite()
        here.close()
    }

    /// Freezing takes only a pin: it opens no node, and the frozen instance reads the same memory
    /// as the live one.
    @Test("THR-65: freezing opens no node for any number of objects")
    func freezingOpensNoNode() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        let count = ModelShapes.scale > 1 ? 1_000_000 : 10_000
        try here.write { (_) throws(RealmError) in
            for i in 0..<count { _ = try lab.add(here, age: Int64(i)) }
        }
        let results = here.results(lab.table, try Query("age >= 0 SORT(age DESC)"))
        #expect(try results.keys()?.count == count)
        let before = Self.opened(here.snapshot())
        let frozen = try results.freeze()
        #expect(Self.opened(here.snapshot()) == before)
        let view = frozen.instance.snapshot()
        #expect(view.lookup.base == here.snapshot().lookup.base)
        #expect(view.state === here.snapshot().state)
        #expect(try frozen.keys()?.count == count)
        #if DEBUG
            #expect(before > 0, "what is read is counted")
        #endif
        here.close()
        try lab.audit()
    }

    /// Number of opened nodes, counted in debug builds only.
    private static func opened(_ snapshot: Snapshot) -> Int {
        #if DEBUG
            snapshot.lookup.state.pointee.opened + snapshot.walk.state.pointee.opened
        #else
            0
        #endif
    }

    /// In a separate process, because the allocation hook of the runtime is global.
    @Test("THR-67: freezing allocates the same for 100 objects and for 5000")
    func freezingAllocatesIndependentlyOfTheCount() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            let counts = try [100, 100, 5000].map { count in
                let lab = try InstanceLab()
                let here = try lab.open()
                try here.write { (_) throws(RealmError) in
                    for i in 0..<count { _ = try lab.add(here, age: Int64(i)) }
                }
                let table = here.table(named: "Dog")!
                return try AllocationCount.of { _ = try table.freeze() }
            }
            print("\(counts)")
            // The first iteration allocates what is cached afterwards.
            precondition(counts[2] <= counts[1] && counts[2] > 0, "\(counts)")
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test("THR-67: eight threads read one frozen view without copies")
    func frozenViewsAreReadByEightThreads() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        try here.write { (_) throws(RealmError) in
            for i in 0..<1000 { _ = try lab.add(here, age: Int64(i)) }
        }
        let box = Unchecked(try #require(here.table(named: "Dog")).freeze())
        try here.write { (transaction) throws(RealmError) in
            for key in try here.snapshot().table(lab.table).keys() {
                try transaction.set(lab.table, key, 0, .int(0))
            }
        }
        let sums = Diary()
        let base = Unchecked(here.database.file.mapping.base)
        Threads.run(8) { _ in
            do {
                let table = try box.value.table()!
                var sum: Int64 = 0
                for key in try table.keys() {
                    if case .int(let age)? = try table.row(key)?.value(0) { sum += age }
                }
                let isCopied = table.snapshot.lookup.base != base.value
                sums.note(isCopied ? "copied" : "\(sum)")
            } catch { sums.note("\(error)") }
        }
        #expect(sums.all == Array(repeating: "499500", count: 8))
        here.close()
        try lab.audit()
    }

    @Test("THR-69: a view thawed in an actor belongs to the thread, a resolved handle to the actor")
    func handlesResolveOnTheActorAndViewsOnTheThread() async throws {
        let lab = try KindsLab()
        let keepAlive = ViewKeeper(lab)
        let (frozen, handle) = try Self.views(of: lab)
        #expect(try await keepAlive.thawed(frozen) == "thread, no delivery: dog 5")
        #expect(try await keepAlive.resolved(handle) == "the actor's: dog 5")
        #expect(try await keepAlive.thawedForActor(frozen) == "the actor's: dog 5")
        await keepAlive.close()
        try lab.audit()
    }

    private static func views(
        of lab: KindsLab
    ) throws -> (Unchecked<Confined>, ThreadSafeHandle) {
        let here = try lab.open()
        let list = try lab.thing(.list, of: here)
        defer { here.close() }
        return (Unchecked(try list.freeze()), try ThreadSafeHandle(to: list))
    }
}

private actor ViewKeeper {
    private let lab: KindsLab
    private var instance: Instance?

    init(_ lab: KindsLab) { self.lab = lab }

    /// Without `await` the task stays on its thread, so that the thread's instance can be used.
    func thawed(_ frozen: Unchecked<Confined>) throws -> String {
        guard let list = try frozen.value.thaw() else { return "nil" }
        guard case .thread = list.instance.confinement.identity else { return "no thread" }
        let delivery = list.instance.confinement.isDeliverable ? "delivery" : "no delivery"
        return "thread, \(delivery): \(try lab.read(list))"
    }

    func resolved(_ handle: ThreadSafeHandle) throws -> String {
        try describe(handle.resolve(in: own()))
    }

    func thawedForActor(_ frozen: Unchecked<Confined>) throws -> String {
        try describe(frozen.value.thaw(on: Confinement(self)))
    }

    private func own() throws -> Instance {
        if let instance { return instance }
        let opened = try lab.open(on: Confinement(self))
        instance = opened
        return opened
    }

    private func describe(_ list: Confined?) throws -> String {
        guard let list else { return "nil" }
        let isOwn = list.instance === instance
        return "\(isOwn ? "the actor's" : "another's"): \(try lab.read(list))"
    }

    func close() {
        instance?.close()
        instance = nil
    }
}
