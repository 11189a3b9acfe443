import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Aggregates, columns and cursors over results.
@Suite struct ResultsAggregatesTests {
    private static let (id, age) = (ResultsLab.Column.id.rawValue, ResultsLab.Column.age.rawValue)

    private func filled(_ name: String) throws -> (ResultsLab, Instance, ObjectClass) {
        var random = SeededRandom.fresh(name)
        let lab = try ResultsLab(seed: random.next())
        let here = try lab.open()
        let people = try #require(ObjectClass(here, lab.person))
        try here.write { (_) throws(RealmError) in try lab.change(here, 600) }
        return (lab, here, people)
    }

    /// Aggregates of all kinds of results, before and after evaluation.
    @Test func aggregatesEqualTheModel() throws {
        let (lab, here, people) = try filled("figuresOfAModel")
        for round in 0..<80 * ModelShapes.scale {
            let shape = lab.shape()
            let results = try lab.results(shape, people)
            if round % 2 == 0 { _ = try results.first }
            if round % 20 == 0 { try here.beginWrite() }
            let keys = try lab.expected(shape, here.snapshot())
            try expect(results, keys.map { lab.model.people[$0]! }, "\(shape)")
            try expect(results.freezeOrSelf(), keys.map { lab.model.people[$0]! }, "\(shape)")
            if round % 20 == 0 { here.cancelWrite() }
        }
        here.close()
        try lab.audit()
    }

    private func expect(
        _ results: ObjectResults, _ people: [ResultsLab.Person], _ shape: String
    ) throws {
        let ages = people.compactMap(\.age)
        let sum = ages.reduce(0, +)
        #expect(try results.aggregate(.sum, of: Self.age).int() == sum, "\(shape)")
        #expect(try results.aggregate(.min, of: Self.age).int() == ages.min(), "\(shape)")
        #expect(try results.aggregate(.max, of: Self.age).int() == ages.max(), "\(shape)")
        let average = ages.isEmpty ? nil : Double(sum) / Double(ages.count)
        #expect(try results.aggregate(.average, of: Self.age).number == average, "\(shape)")
        var ids: [Int64?] = []
        try results.primaryKeys { (value) throws(RealmError) in ids.append(try value.int()) }
        #expect(ids == people.map(\.id), "\(shape)")
        var found: [Int64?] = []
        try results.values(of: Self.age) { (value) throws(RealmError) in
            found.append(try value.int())
        }
        #expect(found == people.map(\.age), "\(shape)")
        #expect(throws: RealmError.self) {
            try results.aggregate(.sum, of: ResultsLab.Column.name.rawValue)
        }
    }

    /// A cursor visits the objects that existed when it was made, whatever changes meanwhile.
    @Test func cursorsVisitTheObjectsOfTheirVersion() throws {
        let (lab, here, people) = try filled("cursorsKeepTheirObjects")
        for query in ["TRUEPREDICATE", "age > 2 SORT(name ASC)"] {
            let results =
                query.hasPrefix("T")
                ? ObjectResults(people) : try ObjectResults(people, Query(query))
            let keys = try (0..<results.count).map { try results.key(at: $0) }
            #expect(!keys.isEmpty && Set(keys).isSubset(of: lab.model.keys))
            // Changes in the middle of the iteration.
            var cursor = try results.cursor()
            #expect(cursor.count == keys.count)
            var met: [ObjectKey] = []
            while let handle = try cursor.next() {
                #expect(try handle.int(Self.id) == lab.model.people[handle.key]!.id)
                met.append(handle.key)
                if met.count == keys.count / 2 {
                    try here.write { (_) throws(RealmError) in try lab.add(people) }
                }
            }
            #expect(met == keys)
            // With a reused handle.
            let frozen = try results.freeze()
            cursor = try frozen.cursor()
            var handle = try #require(try frozen.first)
            var count = 0
            while try cursor.next(&handle) {
                #expect(try handle.int(Self.id) == lab.model.people[handle.key]!.id)
                count += 1
            }
            #expect(try count == results.count)
            // Removing the visited objects.
            try here.beginWrite()
            cursor = try results.cursor()
            while let handle = try cursor.next() {
                if handle.key.raw % 2 == 0 { try handle.remove() }
            }
            #expect(try results.cursor().count < count)
            here.cancelWrite()
            #expect(try results.count == count)
        }
        here.close()
        try lab.audit()
    }

    /// Compound conditions of several queries, from text and from expression trees.
    @Test func compoundQueriesEqualTheirParts() throws {
        let (lab, here, people) = try filled("compounds")
        let old = try Query("age > $0", arguments: [.int(4)])
        let light = try Query(.comparison(.property("weight"), .less, .constant(.double(1))))
        let named = try Query("name BEGINSWITH $0 SORT(name ASC)", arguments: [.string("a")])
        func keys(_ query: Query) throws -> [ObjectKey] {
            let results = try ObjectResults(people, query)
            return try (0..<results.count).map { try results.key(at: $0) }
        }
        func model(_ test: (ResultsLab.Person) -> Bool) -> [ObjectKey] {
            lab.model.keys.filter { test(lab.model.people[$0]!) }
        }
        #expect(
            try keys(Query(any: [old, light])) == model { ($0.age ?? 0) > 4 || $0.weight < 1 })
        #expect(
            try keys(Query(not: Query(any: [old, light])))
                == model { !(($0.age ?? 0) > 4) && !($0.weight < 1) })
        #expect(
            try Set(keys(Query(all: [old, named])))
                == Set(model { ($0.age ?? 0) > 4 && $0.name.hasPrefix("a") }))
        #expect(throws: RealmError.self) { try Query(any: [old, named]) }
        #expect(throws: RealmError.self) { try Query(not: named) }
        var deep = old
        for _ in 0..<QueryLimits.depth { deep = try Query(not: deep) }
        #expect(try keys(deep) == keys(old))
        #expect(throws: RealmError.self) { try Query(not: deep) }
        here.close()
    }
}

extension ObjectResults {
    /// Returns frozen results, or the results themselves in a write transaction.
    fileprivate func freezeOrSelf() throws -> ObjectResults {
        instance.transaction == nil ? try freeze() : self
    }
}

extension Value {
    fileprivate var number: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        default: nil
        }
    }
}
