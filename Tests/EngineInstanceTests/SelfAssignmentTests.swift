import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Assignments count as changes for observers, even of an equal value.
@Suite struct SelfAssignmentTests {
    /// Returns the notifications of one local write.
    private func notifications(
        _ here: LoopLab, _ body: (WriteTransaction) throws(RealmError) -> Void
    ) throws -> [String] {
        try here.write(body)
        here.loop.run()
        return here.news()
    }

    @Test("ACT-48: collections report insertion, deletion, modification and self-assignment")
    func collectionsReportSelfAssignment() throws {
        let here = try LoopLab(3)
        let (keys, table) = (here.keys, here.lab.table)
        try here.observe()
        #expect(here.news() == ["objects initial"])
        let inserted = try notifications(here) { (_) throws(RealmError) in
            _ = try here.lab.add(here.instance, age: 3)
        }
        #expect(inserted == ["objects -[] +[3] *[]"])
        let deleted = try notifications(here) { (transaction) throws(RealmError) in
            try transaction.remove(table, keys[1])
        }
        #expect(deleted == ["objects -[1] +[] *[]"])
        let modified = try notifications(here) { (transaction) throws(RealmError) in
            try transaction.set(table, keys[2], 0, .int(20))
        }
        #expect(modified == ["objects -[] +[] *[1]"])
        let assigned = try notifications(here) { (transaction) throws(RealmError) in
            let age = try transaction.value(table, keys[0], 0)
            try transaction.set(table, keys[0], 0, age ?? .null)
        }
        #expect(assigned == ["objects -[] +[] *[0]"])
        let nothing = try notifications(here) { (_) throws(RealmError) in }
        #expect(nothing == [])
        try here.audit()
    }

    @Test("ACT-52: objects report modification and self-assignment of a property, then deletion")
    func objectsReportSelfAssignment() throws {
        let here = try LoopLab(2)
        let (keys, table) = (here.keys, here.lab.table)
        here.observeObject(0)
        for age in [5, 5] as [Int64] {
            let modified = try notifications(here) { (transaction) throws(RealmError) in
                try transaction.set(table, keys[0], 0, .int(age))
            }
            #expect(modified == ["object changed([0])"])
        }
        let other = try notifications(here) { (transaction) throws(RealmError) in
            try transaction.set(table, keys[1], 0, .int(1))
        }
        #expect(other == [])
        let deleted = try notifications(here) { (transaction) throws(RealmError) in
            try transaction.remove(table, keys[0])
        }
        #expect(deleted == ["object deleted"])
        try here.audit()
    }

    @Test(
        "ACT-48 ACT-52: self-assignments of other participants are reported, over several commits")
    func selfAssignmentsOfOtherParticipantsAreReported() throws {
        let here = try LoopLab(4)
        let (keys, table) = (here.keys, here.lab.table)
        here.observeObject(2)
        try here.observe(try Query("age > 0"))
        _ = here.news()
        var options = WriteSession.Options()
        options.isDurable = false
        options.isSeparate = true
        let other = try WriteSession(path: here.lab.path, options: options)
        for i in 1..<4 {
            let transaction = try other.begin()
            try transaction.set(table, keys[i], 0, .int(Int64(i)))
            // An object is created and removed again, and leaves no trace.
            let made = try transaction.create(in: table)
            try transaction.commit()
            let later = try other.begin()
            try later.set(table, made, 0, .int(0))
            if i == 3 { try later.set(table, keys[0], 0, .int(0)) }
            try later.remove(table, made)
            try later.commit()
        }
        #expect(try here.instance.refresh())
        #expect(here.news() == ["object changed([0])", "objects -[] +[] *[0, 1, 2]"])
        try here.audit()
    }

    @Test("ACT-48 ACT-52: asynchronous self-assignments are reported before and after their flush")
    func asynchronousSelfAssignmentsAreReported() throws {
        let here = try LoopLab(2)
        let (keys, table, instance) = (here.keys, here.lab.table, here.instance)
        here.observeObject(0)
        try here.observe()
        _ = here.news()
        for i in 0..<6 {
            try instance.writeAsync(allowGrouping: i % 3 != 2) { transaction in
                try! transaction.set(table, keys[i % 2], 0, .int(Int64(i % 2)))
            }
        }
        while instance.isPerformingAsynchronousWriteOperations {
            here.loop.run(milliseconds: 100)
        }
        here.loop.run()
        let news = Set(here.news())
        #expect(news.contains("object changed([0])"))
        #expect(
            news.isSubset(of: [
                "object changed([0])", "objects -[] +[] *[0, 1]", "objects -[] +[] *[0]",
                "objects -[] +[] *[1]",
            ]))
        // All changes have been notified.
        try instance.refresh()
        #expect(here.news() == [])
        try here.audit()
    }

    @Test("ACT-52: assigning equal elements modifies a list and its owner")
    func assigningEqualElementsModifiesTheList() throws {
        let here = try LoopLab(1)
        let (key, table) = (here.keys[0], here.lab.table)
        try here.write { (transaction) throws(RealmError) in
            var spec = PropertySpec("scores", .int)
            spec.collection = .list
            try transaction.addProperty(table, spec)
            try transaction.setElements(table, key, 1, [.int(1), .int(2)])
        }
        here.observeObject(0)
        let same = try notifications(here) { (transaction) throws(RealmError) in
            try transaction.setElements(table, key, 1, [.int(1), .int(2)])
        }
        #expect(same == ["object changed([1])"])
        try here.audit()
    }

    @Test("without a valid change log, the compared changes are reported")
    func aMissingChangeLogLeavesTheComparedChanges() throws {
        let here = try LoopLab(3)
        let (keys, table) = (here.keys, here.lab.table)
        let old = here.instance.snapshot()
        let state = try here.instance.freeze()
        for _ in 0..<3 { try here.setAge(0, 0) }
        try here.setAge(1, 10)
        let new = here.instance.snapshot()
        let plain = try ChangeSet(from: old, to: new)
        #expect(plain[table]?.modifications == [keys[1]])
        let whole = try plain.adding(PropertyAssignments(), loggedIn: new)
        #expect(whole[table]?.modifications == [keys[0], keys[1]])
        // Invalid changesets add nothing; neither do unknown tables, objects and columns.
        var assignments = PropertyAssignments()
        let arena = ByteArena()
        #expect(throws: RealmError.self) {
            try assignments.add(PlainValue.view([10, 0, 0, 13, 1, 99, 77], arena))
        }
        #expect(assignments.isEmpty)
        try assignments.add(PlainValue.view([10, 0, 63, 13, 1, 2], arena))
        try assignments.add(PlainValue.view([10, 0, 0, 13, 60, 2, 13, 0, 61], arena))
        let strange = try plain.adding(assignments, loggedIn: old)
        #expect(strange.lines == plain.lines)
        withExtendedLifetime((arena, state)) {}
        try here.audit()
    }
}
