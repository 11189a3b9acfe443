import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct ObserverTests {
    @Test("ACT-48 ACT-49 ACT-50 CD-10: notified changes update a copy of a collection")
    func notifiedChangesTurnACopyIntoTheNewContent() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("observer"), Diary())
        let copy = Unchecked(CopyBox())
        let held = queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            let query = try! Query("age > 2 SORT(age ASC)")
            let token = try! instance.observe(table: lab.table, query) { notice in
                let keys =
                    (try? instance.results(lab.table, query).keys()).map { Array($0) } ?? []
                switch notice {
                case .initial:
                    copy.value.keys = keys
                    diary.note("initial")
                case .changed(let change):
                    for index in change.deletions.reversed() { copy.value.keys.remove(at: index) }
                    for index in change.insertions {
                        copy.value.keys.insert(keys[index], at: index)
                    }
                    diary.note("\(copy.value.keys == keys) \(keys.count)")
                case .changedKeys, .deleted: diary.note("deleted")
                }
            }
            return Unchecked((instance, token))
        }
        diary.wait(for: 1)
        let here = try lab.open()
        var keys: [ObjectKey] = []
        try here.write { (_) throws(RealmError) in
            for i in 0..<6 { keys.append(try lab.add(here, age: Int64(i))) }
        }
        diary.wait(for: 2)
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, keys[5], 0, .int(1))
            try transaction.set(lab.table, keys[0], 0, .int(9))
            try transaction.remove(lab.table, keys[3])
        }
        diary.wait(for: 3)
        #expect(diary.all == ["initial", "true 3", "true 2"])
        // Changes that do not affect the collection are not notified.
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, keys[1], 0, .int(0))
        }
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, keys[1], 0, .int(7))
        }
        diary.wait(for: 4)
        #expect(diary.all == ["initial", "true 3", "true 2", "true 3"])
        queue.sync { _ = held.value.1.invalidate() }
        queue.close()
    }

    @Test("ACT-43 ACT-52 ACT-57: objects report changed properties and their deletion")
    func objectsReportChangedPropertiesAndDeletion() throws {
        let lab = try InstanceLab()
        let (queue, diary) = (WorkQueue("observer"), Diary())
        let here = try lab.open()
        var key = ObjectKey(0)
        try here.write { (_) throws(RealmError) in key = try lab.add(here) }
        let link = ObjectLink(table: lab.table, key: key)
        let held = queue.sync {
            let instance = try! lab.open(on: queue.confinement)
            let token = instance.observe(object: link) { diary.note($0.text("object")) }
            let silent = instance.observe(object: link) { _ in diary.note("silent") }
            silent.invalidate()
            return Unchecked((instance, token))
        }
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(lab.table, key, 0, .int(4))
        }
        diary.wait(for: 1)
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(lab.table, key)
        }
        diary.wait(for: 2)
        #expect(diary.all == ["object changed([0])", "object deleted"])
        #expect(queue.sync { held.value.1.invalidate() })
        #expect(!held.value.1.invalidate())
        queue.close()
    }

    private final class CopyBox {
        var keys: [ObjectKey] = []
    }
}
