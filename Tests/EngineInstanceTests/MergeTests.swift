import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Notifications of one context about changes of another.
@Suite struct MergeTests {
    @Test("CD-14: one insertion, update and deletion of another context are notified after refresh")
    func changesOfAnotherContextAreNotifiedAfterRefresh() throws {
        let here = try LoopLab(5)
        let (keys, lab) = (here.keys, here.lab)
        try here.observe()
        let writer = WorkQueue("B")
        writer.sync {
            let there = try! lab.open(on: writer.confinement)
            try! there.write { (transaction) throws(RealmError) in
                try transaction.remove(lab.table, keys[1])
                try transaction.set(lab.table, keys[3], 0, .int(30))
                _ = try lab.add(there, age: 5)
            }
        }
        here.loop.run()
        #expect(here.news() == ["objects initial"])
        #expect(lab.count(here.instance) == 5)
        #expect(try here.instance.refresh())
        #expect(here.news() == ["objects -[1] +[4] *[3]"])
        #expect(lab.count(here.instance) == 5)
        writer.close()
        try here.audit()
    }

    @Test("CD-15: objects observed in B are found in A by their primary keys")
    func changesAreForwardedByPrimaryKey() throws {
        let lab = try InstanceLab()
        let here = try lab.open()
        let cats = try here.write { (transaction) throws(RealmError) in
            let cats = try transaction.createClass("Cat", primaryKey: PropertySpec("id", .int))
            try transaction.addProperty(cats, PropertySpec("lives", .int))
            for id in [40, 10, 30, 20] as [Int64] {
                _ = try transaction.create(in: cats, primaryKey: .int(id))
            }
            return cats
        }
        let (queue, sent) = (WorkQueue("B"), Diary())
        let held = queue.sync {
            let there = try! lab.open(on: queue.confinement)
            let order = try! Query("TRUEPREDICATE SORT(id ASC)")
            let token = try! there.observe(table: cats, order) { notice in
                guard case .changed(let change) = notice else { return sent.note("initial") }
                let keys = Array(try! there.results(cats, order).keys()!)
                let table = try! there.snapshot().table(cats)
                for index in change.insertions + change.newModifications {
                    guard case .int(let id)? = try! table.row(keys[index])?.primaryKey() else {
                        return sent.note("none")
                    }
                    sent.note("\(id)")
                }
            }
            return Unchecked((there, token))
        }
        sent.wait(for: 1)
        queue.sync {
            try! held.value.0.write { (transaction) throws(RealmError) in
                let key = try transaction.create(in: cats, primaryKey: .int(25))
                try transaction.set(cats, key, 1, .int(9))
                let old = try transaction.find(in: cats, primaryKey: .int(40))!
                try transaction.set(cats, old, 1, .int(7))
            }
        }
        sent.wait(for: 3)
        #expect(sent.all == ["initial", "25", "40"])
        let ids = sent.all.dropFirst().compactMap(Int64.init)
        #expect(try ids.map { try storedLives($0, here, cats) } == [nil, 0])
        #expect(try here.refresh())
        #expect(try ids.map { try storedLives($0, here, cats) } == [9, 7])
        queue.sync { _ = held.value.1.invalidate() }
        queue.close()
        here.close()
        try lab.audit()
    }

    /// Looks up an object by its primary key; returns nil if there is none.
    private func storedLives(_ id: Int64, _ here: Instance, _ cats: TableKey) throws -> Int64? {
        let found = try here.results(cats, Query("id == \(id)")).keys()
        guard let key = found.map({ Array($0) })?.first,
            case .int(let lives)? = try here.snapshot().table(cats).row(key)?.value(1)
        else { return nil }
        return lives
    }
}
