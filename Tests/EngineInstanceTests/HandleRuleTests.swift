import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Rules of thread-safe handles.
@Suite struct HandleRuleTests {
    @Test(
        "THR-45 THR-56: a handle of every kind resolves on another queue",
        arguments: KindsLab.Kind.allCases)
    func handlesOfEveryKindResolveOnAnotherQueue(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let handle = try ThreadSafeHandle(to: lab.thing(kind, of: here))
        let frozen = try ThreadSafeHandle(to: lab.thing(kind, of: here.freeze()))
        let queue = WorkQueue("target")
        let found = queue.sync { () -> [String] in
            let there = try! lab.open(on: queue.confinement)
            return [handle, frozen].map { handle in
                guard let thing = try! handle.resolve(in: there) else { return "nil" }
                return thing.instance === there ? try! lab.read(thing) : "elsewhere"
            }
        }
        let expected = KindsLab.contents[kind]!
        #expect(found == [expected, expected])
        #expect(handle.isInvalidated && frozen.isInvalidated)
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test(
        "THR-56: resolving a handle advances the instance to its version",
        arguments: KindsLab.Kind.allCases)
    func resolvingAHandleAdvancesTheInstance(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let (queue, slot) = (WorkQueue("target"), InstanceSlot())
        queue.sync {
            slot.instance = try! lab.open(on: queue.confinement)
            slot.instance.autorefresh = false
            _ = slot.instance.snapshot()
        }
        try here.write(lab.changeAll)
        // The target is at an older version than the handle and must be refreshed.
        let handle = try ThreadSafeHandle(to: lab.thing(kind, of: here))
        let found = queue.sync {
            let thing = try! handle.resolve(in: slot.instance)
            return thing.map { try! lab.read($0) }
        }
        #expect(found == KindsLab.changed[kind])
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test(
        "THR-56: a handle to a deleted object resolves to nil", arguments: KindsLab.Kind.allCases)
    func handlesToDeletedObjectsResolveToNil(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let thing = try lab.thing(kind, of: here)
        let handle = try ThreadSafeHandle(to: thing)
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(lab.person, lab.ann)
        }
        let queue = WorkQueue("target")
        let isThere = queue.sync {
            let there = try! lab.open(on: queue.confinement)
            _ = there.snapshot()
            return try! handle.resolve(in: there) != nil
        }
        #expect(isThere == !kind.isOwned)
        #expect(thing.isInvalidated == kind.isOwned)
        if kind.isOwned {
            #expect(throws: RealmError.self) { try ThreadSafeHandle(to: thing) }
        }
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test(
        "THR-56: a new instance begins at the version of the handle",
        arguments: KindsLab.Kind.allCases)
    func aNewInstanceBeginsAtTheVersionOfTheHandle(_ kind: KindsLab.Kind) throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let handle = try ThreadSafeHandle(to: lab.thing(kind, of: here))
        let before = here.version
        try here.write(lab.changeAll)
        let queue = WorkQueue("target")
        let (found, version) = queue.sync { () -> (String?, UInt64) in
            let there = try! lab.open(on: queue.confinement)
            let thing = try! handle.resolve(in: there)
            return (thing.map { try! lab.read($0) }, there.version)
        }
        #expect(found == KindsLab.contents[kind] && version == before)
        queue.close()
        here.close()
        try lab.audit()
    }

    @Test("THR-55 ACT-32: a handle keeps its version until it is resolved or released")
    func handlesKeepTheirVersion() throws {
        let lab = try KindsLab()
        let here = try lab.open()
        let session = try #require(here.database.session)
        let first = here.version
        var handle: ThreadSafeHandle? = try ThreadSafeHandle(to: lab.thing(.list, of: here))
        try here.write(lab.changeAll)
        let second = here.version
        let resolved = try ThreadSafeHandle(to: lab.thing(.object, of: here))
        try here.write(lab.changeAll)
        #expect(try session.versionsInUse() == [first, second, here.version])
        handle = nil
        try here.write(lab.changeAll)
        #expect(try session.versionsInUse() == [second, here.version])
        // A resolved handle pins nothing, even while it exists.
        #expect(try resolved.resolve(in: here) != nil)
        try here.write(lab.changeAll)
        #expect(try session.versionsInUse() == [here.version])
        withExtendedLifetime((handle, resolved)) {}
        here.close()
        try lab.audit()
    }

    @Test("THR-55 ACT-32: resolving a handle twice traps") func resolvingAHandleTwiceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try KindsLab()
            let here = try lab.open()
            let handle = try ThreadSafeHandle(to: lab.thing(.list, of: here))
            _ = try handle.resolve(in: here)
            _ = try handle.resolve(in: here)
        }
        #expect(result.said.contains("Can only resolve a thread safe reference once."))
    }

    @Test(
        "THR-09: using a live object on another thread traps",
        arguments: KindsLab.Kind.allCases)
    func liveObjectsTrapOnOtherThreads(_ kind: KindsLab.Kind) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [kind] in
            let lab = try KindsLab()
            let box = Unchecked(try lab.thing(kind, of: lab.open()))
            Threads.run(2) { index in
                if index == 1 { print(try! lab.read(box.value)) }
            }
        }
        #expect(result.said.contains("Realm accessed from incorrect thread."))
    }
}
