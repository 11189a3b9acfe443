import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Details of notifications, and observers that a commit skips.
@Suite struct ObservedContentTests {
    // MARK: Old values

    @Test("ACT-56: notifications of an object have its old values")
    func notificationsHaveTheOldValues() throws {
        let here = try LoopLab(2)
        let diary = here.diary
        let token = here.instance.observe(object: here.link(1)) { notice in
            guard case .changed(let change) = notice else { return diary.note("deleted") }
            for column in change.columns {
                guard let before = try? change.oldValue(column), case .int(let old) = before,
                    let now = try? change.new.value(column), case .int(let new) = now
                else { continue }
                diary.note("\(change.new.table.info.columns[column].name) \(old) \(new)")
            }
        }
        try here.setAge(1, 7)
        here.loop.run()
        // Observers get one notification per delivery, which may combine several commits.
        try here.write { (transaction) throws(RealmError) in
            try transaction.set(here.lab.table, here.keys[1], 0, .int(8))
        }
        try here.setAge(1, 9)
        here.loop.run()
        #expect(here.news() == ["age 1 7", "age 7 8", "age 8 9"])
        try here.write { (transaction) throws(RealmError) in
            try transaction.remove(here.lab.table, here.keys[1])
        }
        here.loop.run()
        #expect(here.news() == ["deleted"])
        token.invalidate()
        try here.audit()
    }

    // MARK: Dictionaries

    @Test("ACT-50: a dictionary reports changes by key")
    func dictionariesReportChangesByKey() throws {
        let here = try LoopLab(3)
        let (table, keys, instance, diary) = (here.lab.table, here.keys, here.instance, here.diary)
        try here.write { (transaction) throws(RealmError) in
            var spec = PropertySpec("friends", .link)
            spec.target = table
            spec.collection = .dictionary
            spec.isOptional = true
            try transaction.addProperty(table, spec)
        }
        let column = try #require(instance.schema.table(table)?.columns[1].key)
        let arena = ByteArena()
        func fill(_ entries: [(String, ObjectKey?)]) throws {
            try here.write { (transaction) throws(RealmError) in
                try transaction.setEntries(
                    table, keys[0], 1,
                    entries.map { name, key in
                        (
                            .string(PlainValue.view(Array(name.utf8), arena)),
                            key.map { .link(ObjectLink(table: table, key: $0)) } ?? .null
                        )
                    })
            }
            here.loop.run()
        }
        let token = try instance.observe(collection: here.link(0), column) {
            diary.note($0.text("friends"))
        }
        here.deliverInitial()
        try fill([("b", keys[1]), ("a", nil)])
        try fill([("b", keys[2]), ("c", keys[1]), ("a", nil)])
        try fill([("c", keys[1])])
        // A change of an object that is a value in the dictionary.
        try here.setAge(1, 50)
        here.loop.run()
        try fill([])
        #expect(
            here.news() == [
                "friends initial", #"friends -[] +["a", "b"] *[]"#, #"friends -[] +["c"] *["b"]"#,
                #"friends -["a", "b"] +[] *[]"#, #"friends -[] +[] *["c"]"#,
                #"friends -["c"] +[] *[]"#,
            ])
        token.invalidate()
        try here.audit()
    }

    // MARK: Skipped observers

    @Test("a commit skips only the given observers, and only its own changes")
    func aCommitSkipsTheGivenObservers() throws {
        let here = try LoopLab(3)
        let (instance, table, keys, diary) = (here.instance, here.lab.table, here.keys, here.diary)
        let left = try instance.observe(table: table) { diary.note($0.text("left out")) }
        here.deliverInitial()
        try here.observe()
        let object = instance.observe(object: here.link(0)) { diary.note($0.text("object")) }
        let whole = instance.observe { diary.note("whole \($0)") }
        _ = here.news()
        try instance.write(withoutNotifying: [left, object, whole]) {
            (transaction) throws(RealmError) in
            try transaction.set(table, keys[0], 0, .int(5))
            try transaction.remove(table, keys[1])
        }
        here.loop.run()
        #expect(here.news() == ["objects -[1] +[] *[0]"])
        // The next change is compared with the state after the skipped commit.
        try here.setAge(1, 6)
        here.loop.run()
        #expect(
            here.news() == ["whole didChange", "left out -[] +[] *[1]", "objects -[] +[] *[1]"])
        // Commits of others are notified even if a skipping commit follows in the same turn.
        let lab = here.lab
        WorkQueue.run { _ = try lab.addElsewhere() }
        try instance.write(withoutNotifying: [left]) { (transaction) throws(RealmError) in
            try transaction.remove(table, keys[0])
        }
        here.loop.run()
        #expect(
            here.news() == [
                "whole didChange", "left out -[] +[2] *[]", "objects -[] +[2] *[]",
                "whole didChange", "objects -[0] +[] *[]", "object deleted",
            ])
        for token in [left, object, whole] { token.invalidate() }
        try here.audit()
    }

    @Test("a token of another instance cannot be skipped")
    func tokensOfAnotherInstanceCannotBeSkipped() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (here, there) = (try LoopLab(1), try LoopLab(1))
            let token = there.instance.observe { _ in }
            try here.instance.write(withoutNotifying: [token]) { (_) throws(RealmError) in }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            said.contains(
                "Incorrect Realm: only notifications for the Realm being modified can be skipped."))
    }

    // MARK: Incoming links

    @Test("ACT-55: key paths follow incoming links, by names or by resolved steps")
    func keyPathsFollowIncomingLinks() throws {
        let here = try LoopLab(4)
        let (keys, table, instance, diary) = (here.keys, here.lab.table, here.instance, here.diary)
        try here.write { (transaction) throws(RealmError) in
            var spec = PropertySpec("friend", .link)
            spec.target = table
            try transaction.addProperty(table, spec)
        }
        let info = try #require(instance.schema.table(table))
        let friend = info.columns[1].key
        let filters: [(String, ChangeFilter)] = [
            ("who", try ChangeFilter(["@links.Dog.friend"], in: info, instance.schema)),
            ("age", try ChangeFilter(["@links.Dog.friend.age"], in: info, instance.schema)),
            (
                "steps",
                ChangeFilter([[.incoming(table, friend), .incoming(table, friend)]], in: table)
            ),
        ]
        let tokens = filters.map { name, filter in
            instance.observe(object: here.link(0), filter) { diary.note($0.text(name)) }
        }
        func notifications(_ index: Int, _ column: Int, _ value: Value) throws -> [String] {
            try here.write { (transaction) throws(RealmError) in
                try transaction.set(table, keys[index], column, value)
            }
            here.loop.run()
            return here.news().map { String($0.prefix { $0 != " " }) }
        }
        func link(_ index: Int) -> Value { .link(ObjectLink(table: table, key: keys[index])) }
        #expect(try notifications(1, 1, link(0)) == ["who", "age", "steps"])
        #expect(try notifications(1, 0, .int(30)) == ["age"])
        // The object that links to the object that links here.
        #expect(try notifications(2, 1, link(1)) == ["steps"])
        #expect(try notifications(2, 0, .int(30)) == [])
        #expect(try notifications(3, 1, link(2)) == [])
        #expect(try notifications(1, 1, .null) == ["who", "age", "steps"])
        #expect(try notifications(1, 0, .int(31)) == [])
        withExtendedLifetime(tokens) {}
        for path in ["@links", "@links.Dog", "@links.Cat.friend", "@links.Dog.age"] {
            #expect(throws: RealmError.self) {
                try ChangeFilter([path], in: info, instance.schema)
            }
        }
        try here.audit()
    }

    // MARK: Evaluation before delivery

    @Test("CD-17: versions are compared on another thread, the instance advances afterwards")
    func versionsAreComparedOnAnotherThread() throws {
        let here = try LoopLab(3, autorefresh: true)
        try here.observe()
        _ = here.news()
        let works = HeldWorks()
        here.instance.observers.evaluate = works.hold
        let (instance, lab) = (here.instance, here.lab)
        let version = instance.version
        WorkQueue.run { _ = try lab.addElsewhere() }
        here.loop.run { works.count == 1 }
        #expect(here.news() == [] && instance.version == version)
        // Later commits are handled after the first notification.
        WorkQueue.run { _ = try lab.addElsewhere() }
        while here.loop.run(milliseconds: 20) {}
        #expect(works.count == 1 && here.news() == [])
        works.runAll()
        here.loop.run { works.count == 1 }
        #expect(here.news() == ["objects -[] +[3] *[]"] && instance.version == version + 1)
        works.runAll()
        while here.loop.run() {}
        #expect(here.news() == ["objects -[] +[4] *[]"] && instance.version == version + 2)
        // A refresh by the context itself does not wait for the background thread.
        WorkQueue.run { _ = try lab.addElsewhere() }
        here.loop.run { works.count == 1 }
        #expect(try instance.refresh())
        #expect(here.news() == ["objects -[] +[5] *[]"])
        works.runAll()
        while here.loop.run() {}
        #expect(here.news() == [])
        try here.audit()
    }
}

extension InstanceLab {
    /// Adds an object through another instance on the calling thread.
    func addElsewhere() throws -> ObjectKey {
        let other = try open()
        defer { other.close() }
        return try other.write { (_) throws(RealmError) in try add(other, age: 100) }
    }
}

extension WorkQueue {
    /// Runs `body` on another thread and waits for it.
    static func run(_ body: @escaping @Sendable () throws -> Void) {
        let queue = WorkQueue("elsewhere")
        queue.sync { #expect(throws: Never.self) { try body() } }
        queue.close()
    }
}
