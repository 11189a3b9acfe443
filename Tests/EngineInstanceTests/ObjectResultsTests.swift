import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Compares results of every origin, with random filters, orders and limits, with a model.
@Suite struct ObjectResultsTests {
    private struct Held {
        let shape: ResultsShape
        let results: ObjectResults
    }

    /// Results are kept across local and other commits, rollbacks and deletions, and also read in
    /// transactions.
    @Test func resultsEqualTheModel() throws {
        var random = SeededRandom.fresh("ObjectResultsTests")
        let lab = try ResultsLab(seed: random.next())
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        let queue = WorkQueue("elsewhere")
        var held: [Held] = []
        for _ in 0..<60 * ModelShapes.scale {
            for _ in 0..<4 {
                let shape = lab.shape()
                held.append(Held(shape: shape, results: try lab.results(shape, people)))
            }
            if held.count > 24 { held.removeFirst(12) }
            try here.beginWrite()
            let before = lab.model
            try lab.change(here, lab.values.below(12))
            try expect(held, lab, here)
            try lab.change(here, lab.values.below(3))
            try expect(held.suffix(5), lab, here)
            if lab.values.chance(25) {
                here.cancelWrite()
                lab.model = before
            } else {
                try here.commitWrite()
            }
            try expect(held, lab, here)
            if lab.values.chance(40) {
                queue.sync {
                    let there = try! lab.open(on: queue.confinement)
                    try! there.write { (_) throws(RealmError) in try lab.change(there, 5) }
                }
                try here.refresh()
                try expect(held, lab, here)
            }
        }
        queue.close()
        here.close()
        try lab.audit()
    }

    private func expect(
        _ held: some Collection<Held>, _ lab: ResultsLab, _ here: Instance
    ) throws {
        for one in held {
            let keys = try lab.expected(one.shape, here.snapshot())
            try expect(one.results, keys, lab.model, "\(one.shape)")
        }
    }

    /// Checks the accessors of results, in a varying order.
    private func expect(
        _ results: ObjectResults, _ keys: [ObjectKey], _ model: ResultsLab.Model, _ shape: String
    ) throws {
        if keys.count % 2 == 0 { #expect(try results.count == keys.count, "\(shape)") }
        let found = try (0..<results.count).map { try results.object(at: $0) }
        #expect(found.map(\.key) == keys, "\(shape)")
        #expect(try found.map { try $0.int(0) } == keys.map { model.people[$0]!.id })
        #expect(try results.first?.key == keys.first && results.last?.key == keys.last)
        for key in model.keys.prefix(5) {
            #expect(try results.index(of: key) == keys.firstIndex(of: key), "\(shape)")
            #expect(try results.contains(key) == keys.contains(key))
        }
        for wrong in [-1, keys.count] {
            #expect(throws: RealmError.self) { try results.key(at: wrong) }
        }
        let older = try Query("age > 4")
        let place = keys.firstIndex { (model.people[$0]!.age ?? 0) > 4 }
        #expect(try results.index(matching: older) == place, "\(shape)")
    }

    /// Frozen results do not change, and several threads may evaluate them at once.
    @Test func threadsMayReadFrozenResultsAtOnce() throws {
        var random = SeededRandom.fresh("frozenResultsAreShared")
        let lab = try ResultsLab(seed: random.next())
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 200) }
        var frozen: [(results: ObjectResults, keys: [ObjectKey], text: String)] = []
        for i in 0..<30 {
            let shape = lab.shape()
            let live = try lab.results(shape, people)
            if i % 2 == 0 { _ = try live.count }
            if i % 3 == 0 { _ = try live.first }
            frozen.append(
                (try live.freeze(), try lab.expected(shape, here.snapshot()), "\(shape)"))
        }
        let model = lab.model
        try here.write { (_) throws(RealmError) in try lab.change(here, 100) }
        let (box, diary) = (Unchecked((frozen, model)), Diary())
        Threads.run(4) { _ in
            do {
                for (results, keys, text) in box.value.0 {
                    try expect(results, keys, box.value.1, text)
                }
                diary.note("read")
            } catch { diary.note("\(error)") }
        }
        #expect(diary.all == Array(repeating: "read", count: 4))
        let thawed = try #require(try frozen[0].results.thaw())
        #expect(thawed.instance === here)
        here.close()
        try lab.audit()
    }

    /// Cached content stays valid while nothing it depends on changes.
    @Test func cachedContentStaysValidWithoutChanges() throws {
        let lab = try ResultsLab(seed: 5)
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 100) }
        let own = try ObjectResults(people, Query("age > 2 SORT(name ASC)"))
        let farther = try ObjectResults(people, Query("home.number > 1"))
        let first = (try Kept(own), try Kept(farther))
        let house = try #require(lab.model.houses.keys.first)
        let queue = WorkQueue("elsewhere")
        queue.sync {
            let there = try! lab.open(on: queue.confinement)
            try! there.write { (transaction) throws(RealmError) in
                try transaction.set(lab.house, house, 0, .int(17))
            }
        }
        try here.refresh()
        #expect(try Kept(own) == first.0)
        #expect(try Kept(farther) != first.1)
        // In a transaction that changes another table, and after a rollback.
        try here.beginWrite()
        try here.write.set(lab.house, house, 0, .int(18))
        #expect(try Kept(own) == first.0)
        try here.write.set(lab.person, lab.model.keys[0], 1, .int(5))
        #expect(try Kept(own) != first.0)
        here.cancelWrite()
        queue.close()
        here.close()
    }

    /// Address of the keys of results.
    private struct Kept: Equatable {
        let base: UnsafeRawPointer?

        init(_ results: ObjectResults) throws {
            base = try results.current().base
        }
    }

    /// Looks up objects by primary key in versions that are frozen repeatedly.
    @Test func objectsAreFoundByPrimaryKeyInEveryVersion() throws {
        let lab = try ResultsLab(seed: 6)
        let here = try lab.open()
        let session = try #require(here.database.session)
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 200) }
        func check(_ people: ObjectClass) throws {
            for (key, person) in lab.model.people {
                let found = try #require(try people.object(primaryKey: .int(person.id)))
                #expect(try found.key == key && found.int(0) == person.id)
            }
            #expect(try people.object(primaryKey: .int(-5))?.key == nil)
        }
        try check(people)
        let (first, again) = (try here.freeze(), try here.freeze())
        #expect(first !== again && first.version == again.version)
        try check(try #require(ObjectClass(again, lab.person)))
        let old = here.version
        try here.beginWrite()
        try lab.change(here, 20)
        try check(people)
        try here.commitWrite()
        #expect(try session.versionsInUse() == [old, here.version])
        #expect(try here.freeze().version == here.version)
        withExtendedLifetime((first, again)) {}
        here.close()
        try lab.audit()
    }

    @Test func invalidQueriesAndOwnersAreErrors() throws {
        let lab = try ResultsLab(seed: 1)
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        let houses = try #require(ObjectClass(here, lab.house))
        try here.write { (_) throws(RealmError) in try lab.add(people) }
        let ann = try #require(try ObjectResults(people).first)
        #expect(throws: RealmError.self) { try ObjectResults(people, Query("nothing > 1")) }
        #expect(throws: RealmError.self) {
            try ObjectResults(people).arranged(.limit(1)).filtered(Query("age > 1"))
        }
        #expect(throws: RealmError.self) {
            try ObjectResults(houses, in: CollectionHandle(ann, ResultsLab.Column.friends.rawValue))
        }
        #expect(throws: RealmError.self) {
            try ObjectResults(people, in: CollectionHandle(ann, ResultsLab.Column.age.rawValue))
        }
        #expect(throws: RealmError.self) {
            try ObjectResults(people, linkingTo: ann, by: ResultsLab.Column.home.rawValue)
        }
        here.close()
    }

    @Test("THR-09: using results on another thread traps") func usingResultsOnAnotherThreadTraps()
        async
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let lab = try ResultsLab(seed: 1)
            let here = try lab.open()
            try here.write { (_) throws(RealmError) in try lab.change(here, 50) }
            let results = ObjectResults(ObjectClass(here, lab.person)!)
            _ = try results.first
            let box = Unchecked(results)
            Threads.run(2) { index in
                if index == 1 { print((try? box.value.key(at: 0)) as Any) }
            }
        }
        #expect(result.said.contains("Realm accessed from incorrect thread."))
    }

    /// Applying the notified changes to the old content of a collection's results gives the new
    /// content.
    @Test func notifiedChangesGiveTheNewContent() throws {
        let lab = try ResultsLab(seed: 4)
        let loop = ThreadLoop()
        let here = try lab.open(on: loop.confinement)
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 300) }
        let owner = try #require(
            lab.model.keys.max {
                lab.model.people[$0]!.friends.count < lab.model.people[$1]!.friends.count
            })
        let shape = ResultsShape(
            origin: .friends(owner),
            steps: [
                .filter(.notOlder(6)), .sort([(.name, isAscending: false)]), .distinct([.weight]),
            ])
        let results = try lab.results(shape, people)
        var copy: [ObjectKey] = []
        let token = try results.observe { notice in
            let now = (0..<(try! results.count)).map { try! results.key(at: $0) }
            if case .changed(let change) = notice {
                for i in change.deletions.reversed() { copy.remove(at: i) }
                for i in change.insertions { copy.insert(now[i], at: i) }
            } else {
                copy = now
            }
        }
        while copy.isEmpty { loop.run(milliseconds: 1000) }
        for _ in 0..<40 {
            try here.write { (_) throws(RealmError) in try lab.change(here, 10) }
            try here.refresh()
            #expect(try copy == lab.expected(shape, here.snapshot()))
        }
        token.invalidate()
        here.close()
        try lab.audit()
    }

    @Test func resultsAreTransferredByHandles() throws {
        let lab = try ResultsLab(seed: 2)
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 100) }
        let results = try ObjectResults(people, Query("age > 2")).arranged(
            .sort([QuerySortKey("name", isAscending: false)]))
        let keys = try (0..<results.count).map { try results.key(at: $0) }
        let handle = try ThreadSafeHandle(to: results.confined)
        let queue = WorkQueue("target")
        let found = queue.sync { () -> [ObjectKey] in
            let there = try! lab.open(on: queue.confinement)
            let results = ObjectResults(try! handle.resolve(in: there)!)!
            return (0..<(try! results.count)).map { try! results.key(at: $0) }
        }
        #expect(found == keys && !keys.isEmpty)
        queue.close()
        here.close()
        try lab.audit()
    }
}

extension ResultsContent {
    /// Address of the keys.
    fileprivate var base: UnsafeRawPointer? {
        guard case .keys(let keys, _) = members else { return nil }
        return keys.base
    }
}
