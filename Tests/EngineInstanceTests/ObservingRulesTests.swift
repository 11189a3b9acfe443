import RealmActors
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Contexts and states in which observation is possible.
@Suite struct ObservingRulesTests {
    @Test("ACT-45: observing is possible in a write transaction before its first change")
    func observingIsPossibleBeforeTheFirstChange() throws {
        let here = try LoopLab(1)
        let diary = here.diary
        let key = here.keys[0]
        try here.instance.beginWrite()
        let token = try here.instance.observe(table: here.lab.table) {
            diary.note($0.text("objects"))
        }
        here.observeObject(0)
        // Evaluations that finish inside the transaction are delivered after its end.
        while !here.loop.run(milliseconds: 100) {}
        #expect(here.news() == [])
        try here.instance.write.set(here.lab.table, key, 0, .int(9))
        try here.instance.commitWrite()
        #expect(here.news() == [])
        here.loop.run()
        #expect(here.news().sorted() == ["object changed([0])", "objects initial"])
        token.invalidate()
        try here.audit()
    }

    @Test("ACT-45: observing traps after the first change of a write transaction")
    func observingAfterAChangeTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let here = try LoopLab(1)
            try here.instance.beginWrite()
            _ = try here.lab.add(here.instance)
            here.observeObject(0)
        }
        #expect(result.said.contains("after making changes in a write transaction"))
    }

    @Test("ACT-46: observing a read-only instance traps")
    func observingAReadOnlyInstanceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try InstanceLab()
            let instance = Instance.reading(try Database.open(lab.path, lab.openOptions))
            _ = try instance.observe(table: lab.table) { _ in }
        }
        #expect(result.said.contains("Read-only Realms do not change"))
    }

    @Test("ACT-47: observing on an actor's instance from outside the actor traps")
    func observingFromOutsideTheActorTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try InstanceLab()
            let place = BarePlace()
            let box = try await place.open(lab)
            _ = box.value.observe { _ in }
        }
        #expect(result.said.contains("Incorrect actor executor assumption"))
    }

    @Test("CD-22 CD-25: a mutex does not let another thread use an instance")
    func aMutexDoesNotPermitAnotherThreadsInstance() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try InstanceLab()
            let (box, mutex) = (Unchecked(try lab.open()), Monitor())
            mutex.locked { _ = box.value.version }
            Threads.run(2) { index in
                if index == 1 { mutex.locked { _ = box.value.version } }
            }
        }
        #expect(result.said.contains("Realm accessed from incorrect thread."))
    }

    @Test("CD-22 CD-25: a mutex does not let another thread read an object")
    func aMutexDoesNotPermitAnotherThreadsObject() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let here = try LoopLab(1)
            let (box, mutex) = (Unchecked(here.instance.object(here.link(0))), Monitor())
            Threads.run(2) { index in
                if index == 1 { mutex.locked { _ = try? box.value.row() } }
            }
        }
        #expect(result.said.contains("Realm accessed from incorrect thread."))
    }
}

private actor BarePlace {
    func open(_ lab: InstanceLab) throws -> Unchecked<Instance> {
        Unchecked(try lab.open(on: Confinement(self)))
    }
}
