@testable import EngineSupport
@testable import RealmEngine

/// People who know each other, a naive model of results over them, and random changes.
final class ResultsLab: @unchecked Sendable {
    let folder: ScratchFolder
    let configuration: Instance.Configuration
    private(set) var person = TableKey.none
    private(set) var house = TableKey.none
    let values: RandomValues
    var model = Model()
    private var lastID: Int64 = 0
    private let arena = ByteArena()

    /// Indexes of the properties.
    enum Column: Int { case id, age, name, weight, friend, home, friends, circle, book }

    struct Person {
        var id: Int64
        var age: Int64?
        var name = ""
        var weight = 0.0
        var friend: ObjectKey?
        var home: ObjectKey?
        var friends: [ObjectKey] = []
        var circle: Set<ObjectKey> = []
        var book: [String: ObjectKey?] = [:]
    }

    struct Model {
        var people: [ObjectKey: Person] = [:]
        /// Number of each house.
        var houses: [ObjectKey: Int64] = [:]

        var keys: [ObjectKey] { people.keys.sorted() }
    }

    init(seed: UInt64) throws {
        folder = try ScratchFolder()
        var configuration = Instance.Configuration(path: folder.file("results.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        self.configuration = configuration
        values = RandomValues(seed: seed)
        let instance = try Instance.open(configuration)
        try instance.write { (transaction) throws(RealmError) in try createClasses(transaction) }
        instance.close()
    }

    private func createClasses(_ transaction: WriteTransaction) throws(RealmError) {
        house = try transaction.createClass("House")
        try transaction.addProperty(house, PropertySpec("number", .int))
        person = try transaction.createClass("Person", primaryKey: PropertySpec("id", .int))
        var age = PropertySpec("age", .int)
        (age.isOptional, age.isIndexed) = (true, true)
        try transaction.addProperty(person, age)
        try transaction.addProperty(person, PropertySpec("name", .string))
        try transaction.addProperty(person, PropertySpec("weight", .double))
        for (name, target, kind) in [
            ("friend", person, CollectionKind?.none), ("home", house, nil),
            ("friends", person, .list), ("circle", person, .set), ("book", person, .dictionary),
        ] {
            var spec = PropertySpec(name, .link)
            (spec.target, spec.collection) = (target, kind)
            try transaction.addProperty(person, spec)
        }
    }

    func open(on confinement: Confinement = .thread) throws(RealmError) -> Instance {
        try Instance.open(configuration, on: confinement)
    }

    func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: configuration.path), "at the end")
    }

    // MARK: Changes

    /// Makes random changes in the open transaction of `instance`.
    func change(_ instance: Instance, _ times: Int) throws(RealmError) {
        let people = ObjectClass(instance, person)!
        for _ in 0..<times {
            switch values.below(12) {
            case 0..<3: try add(people)
            case 3 where model.people.count > 3: try remove(people)
            case 4: try changeHouse(instance)
            default: if !model.people.isEmpty { try changeOne(people) }
            }
        }
    }

    func add(_ people: ObjectClass) throws(RealmError) {
        lastID += 1
        let key = try people.instance.write.create(in: person, primaryKey: .int(lastID))
        model.people[key] = Person(id: lastID)
        for column in 1..<6 { try change(try ObjectHandle(people, key), Column(rawValue: column)!) }
    }

    private func remove(_ people: ObjectClass) throws(RealmError) {
        let gone = values.pick(model.keys)
        try ObjectHandle(people, gone).remove()
        model.people[gone] = nil
        for key in model.people.keys {
            if model.people[key]!.friend == gone { model.people[key]!.friend = nil }
            model.people[key]!.friends.removeAll { $0 == gone }
            model.people[key]!.circle.remove(gone)
            for (name, entry) in model.people[key]!.book where entry == gone {
                model.people[key]!.book[name] = .some(nil)
            }
        }
    }

    private func changeHouse(_ instance: Instance) throws(RealmError) {
        if model.houses.count < 3 || values.chance(10) {
            let key = try instance.write.create(in: house)
            model.houses[key] = 0
        }
        let key = values.pick(model.houses.keys.sorted())
        let number = Int64(values.below(4))
        try instance.write.set(house, key, 0, .int(number))
        model.houses[key] = number
    }

    private func changeOne(_ people: ObjectClass) throws(RealmError) {
        let handle = try ObjectHandle(people, values.pick(model.keys))
        try change(handle, Column(rawValue: 1 + values.below(8))!)
    }

    private func change(_ handle: ObjectHandle, _ column: Column) throws(RealmError) {
        let (key, property) = (handle.key, column.rawValue)
        let other = values.pick(model.keys)
        let link = Value.link(ObjectLink(table: person, key: other))
        let collection = CollectionHandle(handle, property)
        switch column {
        case .id: return
        case .age:
            let age = values.chance(20) ? nil : Int64(values.below(9))
            try handle.set(property, age.map { .int($0) } ?? .null)
            model.people[key]!.age = age
        case .name:
            let name = values.pick(["", "a", "ab", "b", "ba", "Zoe"])
            try handle.set(property, name)
            model.people[key]!.name = name
        case .weight:
            let weight = Double(values.below(12)) / 4
            try handle.set(property, .double(weight))
            model.people[key]!.weight = weight
        case .friend:
            let isNull = values.chance(30)
            try handle.set(property, isNull ? .null : link)
            model.people[key]!.friend = isNull ? nil : other
        case .home:
            guard !model.houses.isEmpty else { return }
            let home = values.pick(model.houses.keys.sorted())
            try handle.set(property, .link(ObjectLink(table: house, key: home)))
            model.people[key]!.home = home
        case .friends:
            let count = model.people[key]!.friends.count
            if count > 0, values.chance(30) {
                let place = values.below(count)
                try collection.remove(at: place)
                model.people[key]!.friends.remove(at: place)
            } else {
                let place = values.below(count + 1)
                try collection.insert(link, at: place)
                model.people[key]!.friends.insert(other, at: place)
            }
        case .circle:
            if try collection.insert(link) {
                model.people[key]!.circle.insert(other)
            } else if values.chance(30) {
                try collection.remove(link)
                model.people[key]!.circle.remove(other)
            }
        case .book:
            let name = "k\(values.below(6))"
            try collection.set(link, forKey: .string(PlainValue.view(Array(name.utf8), arena)))
            model.people[key]!.book[name] = .some(other)
        }
    }
}
