import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Object handles, which read and change one property at a time.
@Suite struct ObjectHandleTests {
    /// Compares handles that are kept across commits, rollbacks and deletions with a model.
    @Test func handlesEqualTheModel() throws {
        var random = SeededRandom.fresh("ObjectHandleTests")
        let lab = try HandleLab(seed: random.next())
        let objects = try lab.objects()
        var held: [ObjectHandle] = []
        for round in 0..<60 * ModelShapes.scale {
            try lab.instance.beginWrite()
            let before = lab.model
            for _ in 0..<lab.values.below(12) {
                switch lab.values.below(10) {
                case 0..<4: held.append(try lab.add(objects))
                case 4..<8 where !lab.model.isEmpty:
                    let handle = try ObjectHandle(objects, lab.anyKey())
                    try lab.change(handle, lab.values.below(objects.properties.count))
                    held.append(handle)
                case 8 where !lab.model.isEmpty:
                    let handle = try ObjectHandle(objects, lab.anyKey())
                    try lab.remove(handle)
                    held.append(handle)
                default: continue
                }
                try lab.expect(lab.values.pick(held + [held.last].compactMap { $0 }), lab.model)
            }
            for handle in held.suffix(20) { try lab.expect(handle, lab.model) }
            if lab.values.chance(20) {
                lab.instance.cancelWrite()
                lab.model = before
            } else {
                try lab.instance.commitWrite()
            }
            for i in held.indices {
                if round % 2 == 0 { try held[i].follow() }
                try lab.expect(held[i], lab.model)
            }
            if held.count > 60 { held.removeFirst(30) }
        }
        lab.instance.close()
        try ModelRun.audit(IntegrityCheck.run(path: lab.configuration.path), "at the end")
    }

    /// A moved handle reads the same values as a new handle of the object, in compact leaves and in
    /// leaves with gaps.
    @Test func aMovedHandleReadsTheSameValues() throws {
        let lab = try InstanceLab()
        let instance = try lab.open()
        try instance.write { (_) throws(RealmError) in
            for i in 0..<2000 { _ = try lab.add(instance, age: Int64(i)) }
        }
        let objects = try #require(ObjectClass(instance, lab.table))
        var keys = try instance.snapshot().table(lab.table).keys()
        try instance.write { (transaction) throws(RealmError) in
            for i in stride(from: 700, to: 1400, by: 3) {
                try transaction.remove(lab.table, keys[i])
            }
        }
        let gone = keys[700]
        keys = try instance.snapshot().table(lab.table).keys()
        var handle = try ObjectHandle(objects, keys[0])
        for key in keys {
            try handle.move(to: key)
            let row = try #require(try instance.snapshot().table(lab.table).row(key))
            #expect(try handle.int(0) == row.value(0).int())
        }
        var random = SeededRandom.fresh("moves")
        for _ in 0..<500 {
            let key = keys[random.below(keys.count)]
            try handle.move(to: key)
            #expect(try handle.int(0) == ObjectHandle(objects, key).int(0))
        }
        try handle.move(to: gone)
        #expect(try !handle.exists)
        try handle.move(to: keys[5])
        #expect(try handle.int(0) == 5)
        instance.close()
    }

    /// Several threads read frozen objects at once, without allocations per call.
    @Test func threadsMayReadFrozenObjectsAtOnce() throws {
        let lab = try HandleLab(seed: 7)
        let live = try lab.objects()
        try lab.instance.beginWrite()
        for _ in 0..<300 { _ = try lab.add(live) }
        try lab.instance.commitWrite()
        let frozen = try lab.instance.freeze()
        let handles = try lab.model.keys.map { try ObjectHandle(lab.objects(frozen), $0) }
        let old = lab.model
        try lab.instance.beginWrite()
        for key in old.keys { try lab.change(try ObjectHandle(live, key), 0) }
        try lab.instance.commitWrite()
        let later = try lab.instance.freeze()
        let now = try lab.model.keys.map { try ObjectHandle(lab.objects(later), $0) }
        let box = Unchecked((lab, handles, old, now, lab.model))
        let diary = Diary()
        Threads.run(4) { _ in
            let (lab, handles, old, now, model) = box.value
            do {
                for handle in handles { try lab.expect(handle, old) }
                for handle in now { try lab.expect(handle, model) }
                diary.note("read")
            } catch { diary.note("\(error)") }
        }
        #expect(diary.all == Array(repeating: "read", count: 4))
        #expect(try AllocationCount.of { _ = try handles[0].int(0) } == 0)
        lab.instance.close()
    }

    /// Adding and removing properties elsewhere does not change the indexes of the others.
    @Test func handlesKeepTheirPropertiesAcrossSchemaChanges() throws {
        let lab = try HandleLab(seed: 3)
        let objects = try lab.objects()
        try lab.instance.beginWrite()
        let handle = try lab.add(objects)
        try lab.instance.commitWrite()
        try lab.instance.write { (transaction) throws(RealmError) in
            try transaction.removeProperty(lab.table, 2)
            try transaction.addProperty(lab.table, PropertySpec("fresh", .int))
            // Also within the transaction.
            #expect(try! handle.int(0) == lab.model[handle.key]![0].number)
            #expect(throws: RealmError.self) { try handle.value(2) }
        }
        for (i, plain) in lab.model[handle.key]!.enumerated() where i != 2 {
            #expect(try plain.equals(handle.value(i), lab.instance.snapshot()))
        }
        #expect(throws: RealmError.self) { try handle.value(2) }
        lab.instance.close()
    }

    @Test func usingAWrongTypeIsAnError() throws {
        let lab = try HandleLab(seed: 4)
        let objects = try lab.objects()
        try lab.instance.beginWrite()
        let handle = try lab.add(objects)
        #expect(throws: RealmError.self) { try handle.set(0, "no number") }
        try lab.instance.commitWrite()
        #expect(throws: RealmError.self) { try handle.bool(0) }
        #expect(throws: RealmError.self) { try handle.int(4) }
        lab.instance.close()
    }

    @Test func changesNeedATransaction() async {
        await #expect(processExitsWith: .failure) {
            let lab = try HandleLab(seed: 5)
            let objects = try lab.objects()
            try lab.instance.beginWrite()
            let handle = try lab.add(objects)
            try lab.instance.commitWrite()
            try handle.set(0, .int(1))
        }
    }
}

extension PlainValue {
    fileprivate var number: Int64? {
        if case .int(let value) = self { return value }
        return nil
    }
}
