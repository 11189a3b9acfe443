import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Collections of values that are sorted, distinct, limited and aggregated.
@Suite struct ElementResultsTests {
    private static let kinds: [(String, ColumnType, CollectionKind)] = [
        ("numbers", .int, .list), ("doubles", .double, .list), ("words", .string, .set),
        ("book", .int, .dictionary), ("anything", .mixed, .list),
    ]

    private let folder: ScratchFolder
    private let here: Instance
    private let table: TableKey
    private let arena = ByteArena()

    init() throws {
        folder = try ScratchFolder()
        var configuration = Instance.Configuration(path: folder.file("elements.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        here = try Instance.open(configuration)
        table = try here.write { (transaction) throws(RealmError) in
            let table = try transaction.createClass("Thing")
            for (name, type, kind) in Self.kinds {
                var spec = PropertySpec(name, type)
                (spec.collection, spec.isOptional) = (kind, true)
                try transaction.addProperty(table, spec)
            }
            return table
        }
    }

    private func audit() throws {
        let path = here.database.path
        here.close()
        try ModelRun.audit(IntegrityCheck.run(path: path), "at the end")
    }

    @Test func resultsOfElementsEqualTheModel() throws {
        var random = SeededRandom.fresh("ElementResultsTests")
        let values = RandomValues(seed: random.next())
        let objects = try #require(ObjectClass(here, table))
        let key = try here.write { (transaction) throws(RealmError) in
            try transaction.create(in: table)
        }
        let owner = try ObjectHandle(objects, key)
        let collections = Self.kinds.indices.map { CollectionHandle(owner, $0) }
        var held: [(collection: Int, results: ElementResults)] = []
        for _ in 0..<60 * ModelShapes.scale {
            try here.beginWrite()
            for _ in 0..<values.below(10) { try change(collections, values) }
            try expect(held, values)
            if values.chance(30) { here.cancelWrite() } else { try here.commitWrite() }
            let which = values.below(collections.count)
            let results = try ElementResults(collections[which], steps(values))
            held.append((which, results))
            if held.count > 20 { held.removeFirst(10) }
            try expect(held, values)
        }
        let frozen = try self.objects(of: here.freeze())
        let handle = try ObjectHandle(frozen, key)
        let results = try held.map {
            try ElementResults(CollectionHandle(handle, $0.collection), $0.results.steps)
        }
        let (box, diary) = (Unchecked((results, try results.map(Self.plain))), Diary())
        try here.write { (transaction) throws(RealmError) in try transaction.remove(table, key) }
        #expect(try held.allSatisfy { try $0.results.count == 0 })
        Threads.run(4) { _ in
            let found = try? box.value.0.map(Self.plain)
            diary.note(found == box.value.1 ? "same" : "other")
        }
        #expect(diary.all == Array(repeating: "same", count: 4))
        try audit()
    }

    private func objects(of instance: Instance) throws -> ObjectClass {
        try #require(ObjectClass(instance, table))
    }

    private func change(_ collections: [CollectionHandle], _ values: RandomValues) throws {
        let which = values.below(collections.count)
        let (_, type, kind) = Self.kinds[which]
        let value = try self.value(type, values)
        switch kind {
        case .list:
            let count = try collections[which].count
            if count > 0, values.chance(30) {
                try collections[which].remove(at: values.below(count))
            } else {
                try collections[which].insert(value, at: values.below(count + 1))
            }
        case .set: _ = try collections[which].insert(value)
        case .dictionary:
            let key = PlainValue.view(Array("k\(values.below(20))".utf8), arena)
            try collections[which].set(value, forKey: .string(key))
        }
    }

    private func value(_ type: ColumnType, _ values: RandomValues) throws -> Value {
        if values.chance(15) { return .null }
        switch type {
        case .int: return .int(Int64(values.below(7)))
        case .double: return .double(Double(values.below(9)) / 2)
        case .string:
            return .string(PlainValue.view(Array("w\(values.below(12))".utf8), arena))
        default:
            return try self.value(values.pick([.int, .double, .string]), values)
        }
    }

    private func steps(_ values: RandomValues) -> [ElementResults.Step] {
        (0..<values.below(4)).map { _ in
            switch values.below(5) {
            case 0, 1: .sort(isAscending: values.chance(50), .binary)
            case 2, 3: .distinct
            default: .limit(values.below(12))
            }
        }
    }

    private func expect(
        _ held: [(collection: Int, results: ElementResults)], _ values: RandomValues
    ) throws {
        for (_, results) in held {
            let expected = try model(results)
            #expect(try Self.plain(results) == expected.map { "\($0)" }, "\(results.steps)")
            for value in expected.prefix(3) {
                let first = expected.firstIndex { ValueOrder.areEqual($0, value) }
                #expect(try results.index(of: value) == first)
            }
            #expect(throws: RealmError.self) { try results.element(at: expected.count) }
            let all = try results.collection.elements()
            for value in all.prefix(3) {
                let first = all.firstIndex { ValueOrder.areEqual($0, value) }
                #expect(try results.collection.index(of: value) == first)
            }
            #expect(try results.collection.index(of: .double(0.125)) == nil)
            let numbers = expected.compactMap { (value) -> Double? in
                switch value {
                case .int(let x): Double(x)
                case .double(let x): x
                default: nil
                }
            }
            let collection = results.collection
            guard collection.owner.objects.properties[collection.property].type != .string else {
                #expect(throws: RealmError.self) { try results.aggregate(.sum) }
                continue
            }
            let sum = Value.double(numbers.reduce(0, +))
            #expect(ValueOrder.areEqual(try results.aggregate(.sum), sum))
            // In the order of values of any type.
            let ordered = expected.filter { !ValueOrder.areEqual($0, .null) }.sorted {
                ValueOrder.compare($0, $1) < 0
            }
            let (least, greatest) = (ordered.first ?? .null, ordered.last ?? .null)
            #expect(ValueOrder.areEqual(try results.aggregate(.min), least))
            #expect(ValueOrder.areEqual(try results.aggregate(.max), greatest))
        }
    }

    /// Naive evaluation, one step after the other.
    private func model(_ results: ElementResults) throws -> [Value] {
        var all: [Value] = []
        for i in 0..<(try results.collection.count) {
            all.append(try results.collection.element(at: i))
        }
        for step in results.steps {
            switch step {
            case .limit(let count): all = Array(all.prefix(count))
            case .distinct:
                var kept: [Value] = []
                for value in all where !kept.contains(where: { ValueOrder.areEqual($0, value) }) {
                    kept.append(value)
                }
                all = kept
            case .sort(let isAscending, _):
                var sorted: [Value] = []
                for value in all {
                    let place = sorted.firstIndex {
                        let way = ValueOrder.compare($0, value)
                        return isAscending ? way > 0 : way < 0
                    }
                    sorted.insert(value, at: place ?? sorted.count)
                }
                all = sorted
            }
        }
        return all
    }

    private static func plain(_ results: ElementResults) throws -> [String] {
        try (0..<results.count).map { "\(try results.element(at: $0))" }
    }
}
