import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Incrementally updated results and their notifications equal a full evaluation.
@Suite struct IncrementalResultsTests {
    private static let alone = [
        "TRUEPREDICATE", "age > 3", "age == NULL OR name BEGINSWITH 'b'", "NOT weight < 1.5",
        "name IN {'a', 'Zoe'} AND age != 2", "age + weight > 4", "id < 0",
    ]
    /// Conditions that depend on other objects, or results that depend on an order.
    private static let notAlone = [
        "friend.age > 3", "ANY friends.name == 'a'", "age > 1 SORT(name ASC)", "age > 1 LIMIT(3)",
        "age > 1 DISTINCT(name)", "home.number == 1",
        "SUBQUERY(friends, $f, $f.age > 2).@count > 0",
        "@links.Person.friend.@count > 0", "@links.@count > 1",
        "friend == NULL OR @links.@count == 0",
    ]
    /// Conditions on links and collections that depend only on the object itself.
    private static let either = [
        "friend == NULL", "home == NULL AND age > 1", "friends.@count > 1", "circle.@size > 0",
        "book.@count == 2", "book['k1'] == NULL", "book.@keys == 'k2'", "age == weight",
        "friend != NULL OR friends.@count == 0", "NOT (name == 'a' AND friend == NULL)",
    ]

    private func filters(_ lab: ResultsLab, _ schema: Schema) throws -> [ChangeFilter?] {
        let info = try #require(schema.table(lab.person))
        func paths(_ paths: [String]) throws -> ChangeFilter {
            try ChangeFilter(paths, in: info, schema)
        }
        return [
            nil, .own(lab.person), .linked(lab.person), try paths(["age", "name"]),
            try paths(["friend.age"]), try paths(["*"]), try paths(["@links.Person.friend.name"]),
        ]
    }

    @Test func incrementalUpdatesEqualAFullEvaluation() throws {
        var random = SeededRandom.fresh("FollowedObjectsTests")
        let lab = try ResultsLab(seed: random.next())
        let here = try lab.open()
        try here.beginWrite()
        let people = try #require(ObjectClass(here, lab.person))
        for _ in 0..<30 { try lab.add(people) }
        try here.commitWrite()
        var (followed, left) = (0, 0)
        for round in 0..<40 * ModelShapes.scale {
            let old = try FrozenVersion.of(here.snapshot()).snapshot()
            try here.beginWrite()
            try lab.change(here, 1 + lab.values.below(round % 10 == 0 ? 60 : 6))
            try here.commitWrite()
            let new = try FrozenVersion.of(here.snapshot()).snapshot()
            let changes = try ChangeSet(from: old, to: new, adding: PropertyAssignments())
            for filter in try filters(lab, new.schema) {
                func probe() -> ChangeProbe? {
                    filter.map { ChangeProbe(changes, $0, from: old, to: new) }
                }
                for text in Self.alone + Self.notAlone + Self.either {
                    let definition = ResultsDefinition(lab.person, try Query(text))
                    let before = try definition.keys(in: old).array
                    let now = try definition.keys(in: new).array
                    let known = try IncrementalResults(
                        definition, of: before, changes, probe(), from: old, to: new, share: 1)
                    guard let known else {
                        left += 1
                        continue
                    }
                    followed += 1
                    #expect(!Self.notAlone.contains(text))
                    #expect(known.keys == now, "\(text)")
                    let asked = probe()
                    let change = try CollectionChange(from: before, to: now) {
                        (index) throws(RealmError) in try asked?.isModified(now[index]) ?? false
                    }
                    #expect(known.change == change, "\(text) \(String(describing: filter))")
                }
            }
        }
        // Incremental updates are impossible for filters along links and after large changes.
        #expect(followed > left / 4)
        here.close()
        try lab.audit()
    }

    /// Observers of large results update incrementally; a change of the schema causes a full
    /// evaluation.
    @Test func observersUpdateIncrementally() throws {
        let here = try LoopLab(600)
        let (table, diary) = (here.lab.table, here.diary)
        let results = ResultsDefinition(table, try Query("age < 500"))
        let token = try here.instance.observe(results: results, .own(table)) { notice in
            guard case .changed(let change) = notice else { return diary.note("initial") }
            diary.note(
                "-\(change.deletions) +\(change.insertions) *\(change.modifications) "
                    + "*\(change.newModifications)")
        }
        here.loop.run()
        try here.setAge(3, 1000)
        here.loop.run()
        try here.setAge(9, 7)
        here.loop.run()
        try here.write { (transaction) throws(RealmError) in
            try transaction.addProperty(table, PropertySpec("more", .int))
            try transaction.set(table, here.keys[3], 0, .int(2))
        }
        here.loop.run()
        #expect(
            here.news() == ["initial", "-[3] +[] *[] *[]", "-[] +[] *[8] *[8]", "-[] +[3] *[] *[]"])
        token.invalidate()
        try here.audit()
    }

    /// When the block is called, the observed results already contain the objects that the observer
    /// found.
    @Test(arguments: ["age < 500", "age >= 0 SORT(age DESC)", "TRUEPREDICATE LIMIT(5)"])
    func resultsContainTheObjectsOfTheNotification(_ text: String) throws {
        let here = try LoopLab(600)
        let (instance, table, diary) = (here.instance, here.lab.table, here.diary)
        let people = try #require(ObjectClass(instance, table))
        let query = try Query(text)
        let results = try ObjectResults(people, query)
        let token = try results.observe { _ in
            #expect(results.foundNow != nil)
            guard let fresh = try? ObjectResults(people, query), let count = try? fresh.count
            else { return diary.note("lost") }
            for i in 0..<count {
                #expect((try? results.key(at: i)) == (try? fresh.key(at: i)))
            }
            #expect((try? results.count) == count)
            diary.note("\(count)")
        }
        here.loop.run()
        for i in 0..<6 {
            try here.setAge(i, Int64(i % 2 == 0 ? 1000 + i : -i))
            here.loop.run()
            // Other results of the query have the same objects.
            #expect(try results.count == ObjectResults(people, query).count)
        }
        #expect(here.news().count > 3)
        token.invalidate()
        try here.audit()
    }

    /// Full-text conditions across a link use the words of the linked table.
    @Test func fullTextConditionsUseTheWordsOfTheLinkedTable() throws {
        let folder = try ScratchFolder()
        var configuration = Instance.Configuration(path: folder.file("words.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        let here = try Instance.open(configuration)
        let arena = ByteArena()
        func text(_ text: String) -> Value { .string(PlainValue.view(Array(text.utf8), arena)) }
        try here.beginWrite()
        let book = try here.write.createClass("Book")
        var title = PropertySpec("title", .string)
        title.isFullText = true
        try here.write.addProperty(book, title)
        let reader = try here.write.createClass("Reader")
        var reads = PropertySpec("reads", .link)
        reads.target = book
        try here.write.addProperty(reader, reads)
        let one = try here.write.create(in: book)
        try here.write.set(book, one, 0, text("war and peace"))
        let somebody = try here.write.create(in: reader)
        try here.write.set(reader, somebody, 0, .link(ObjectLink(table: book, key: one)))
        try here.commitWrite()
        let readers = try #require(ObjectClass(here, reader))
        let results = try ObjectResults(readers, try Query("reads.title TEXT 'peace'"))
        #expect(try results.count == 1)
        try here.beginWrite()
        try here.write.set(book, one, 0, text("war"))
        try here.commitWrite()
        #expect(try results.count == 0)
        here.close()
        try ModelRun.audit(IntegrityCheck.run(path: configuration.path), "at the end")
    }
}
