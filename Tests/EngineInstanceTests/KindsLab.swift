import Testing

@testable import EngineSupport
@testable import RealmEngine

/// A database with one target of each kind that an instance returns references to, for tests of
/// rules common to all of them. Projections, sectioned results and backlink collections exist only
/// in the typed interface.
final class KindsLab: @unchecked Sendable {
    enum Kind: String, CaseIterable, Codable, Sendable {
        case table, results, object, embedded, list, set, dictionary

        /// Whether the target is deleted together with its person.
        var isOwned: Bool { self != .table && self != .results }
    }

    /// Columns of a person; `id` is the primary key.
    enum Column: Int { case id, age, dogs, lucky, scores, home }

    let folder: ScratchFolder
    let configuration: Instance.Configuration
    private(set) var dog = TableKey.none
    private(set) var person = TableKey.none
    private(set) var address = TableKey.none
    private(set) var ann = ObjectKey(0)
    private(set) var home = ObjectKey(0)

    init() throws {
        folder = try ScratchFolder()
        var configuration = Instance.Configuration(path: folder.file("kinds.realm"))
        configuration.isDurable = false
        configuration.creation = .ifMissing
        self.configuration = configuration
        let instance = try Instance.open(configuration)
        try instance.write { (transaction) throws(RealmError) in
            try createClasses(transaction)
            try createAnn(transaction)
        }
        instance.close()
    }

    private func createClasses(_ transaction: WriteTransaction) throws(RealmError) {
        dog = try transaction.createClass("Dog")
        try transaction.addProperty(dog, PropertySpec("age", .int))
        address = try transaction.createClass("Address", kind: .embedded)
        try transaction.addProperty(address, PropertySpec("number", .int))
        person = try transaction.createClass("Person", primaryKey: PropertySpec("id", .int))
        try transaction.addProperty(person, PropertySpec("age", .int))
        var dogs = PropertySpec("dogs", .link)
        (dogs.collection, dogs.target) = (.list, dog)
        try transaction.addProperty(person, dogs)
        for (name, kind) in [("lucky", CollectionKind.set), ("scores", .dictionary)] {
            var spec = PropertySpec(name, .int)
            spec.collection = kind
            try transaction.addProperty(person, spec)
        }
        var home = PropertySpec("home", .link)
        home.target = address
        try transaction.addProperty(person, home)
    }

    private func createAnn(_ transaction: WriteTransaction) throws(RealmError) {
        ann = try transaction.create(in: person, primaryKey: .int(1))
        try transaction.set(person, ann, Column.age.rawValue, .int(30))
        try addDog(transaction, age: 5)
        try transaction.setElements(person, ann, Column.lucky.rawValue, [.int(7), .int(9)])
        try transaction.setEntries(
            person, ann, Column.scores.rawValue,
            [(.string(PlainValue.view(Array("a".utf8), arena)), .int(3))])
        home = try transaction.createEmbedded(person, ann, Column.home.rawValue)
        try transaction.set(address, home, 0, .int(12))
    }

    private let arena = ByteArena()

    /// Appends a new dog to Ann's dogs.
    func addDog(_ transaction: WriteTransaction, age: Int64) throws(RealmError) {
        let key = try transaction.create(in: dog)
        try transaction.set(dog, key, 0, .int(age))
        try transaction.appendElements(
            person, ann, Column.dogs.rawValue, [.link(ObjectLink(table: dog, key: key))])
    }

    func open(on confinement: Confinement = .thread) throws(RealmError) -> Instance {
        try Instance.open(configuration, on: confinement)
    }

    /// Makes a reference to the target of a kind in `instance`.
    func thing(_ kind: Kind, of instance: Instance) throws(RealmError) -> Confined {
        let link = ObjectLink(table: person, key: ann)
        switch kind {
        case .table: return instance.table(named: "Dog")!
        case .results: return instance.results(dog, try Query("age > 2"))
        case .object: return instance.object(link)
        case .embedded: return instance.object(ObjectLink(table: address, key: home))
        case .list: return collection(.dogs, link, instance)
        case .set: return collection(.lucky, link, instance)
        case .dictionary: return collection(.scores, link, instance)
        }
    }

    private func collection(
        _ column: Column, _ link: ObjectLink, _ instance: Instance
    ) -> Confined {
        let info = instance.schema.table(person)!
        return instance.collection(link, info.columns[column.rawValue].key)
    }

    /// Returns the whole content of the target as text.
    func read(_ thing: Confined) throws(RealmError) -> String {
        switch thing.target {
        case .table, .results: return "\(try thing.keys()?.count ?? -1) dogs"
        case .object(let link):
            let column = link.table == address ? 0 : Column.age.rawValue
            guard let row = try thing.row() else { return "gone" }
            return Self.text(try row.value(column))
        case .collection:
            guard let value = try thing.collection() else { return "gone" }
            return try read(value, thing.instance.snapshot())
        }
    }

    private func read(_ value: Value, _ snapshot: Snapshot) throws(RealmError) -> String {
        var parts: [String] = []
        switch value {
        case .list(let view), .set(let view):
            var cursor = snapshot.elements(of: view)
            while let element = try cursor.next() {
                guard case .link(let link) = element else {
                    parts.append(Self.text(element))
                    continue
                }
                let row = try snapshot.table(link.table).row(link.key)
                parts.append("dog \(Self.text(try row?.value(0) ?? .null))")
            }
        case .dictionary(let view):
            var cursor = try snapshot.entries(of: view)
            while let (key, value) = try cursor.next() {
                guard case .string(let name) = key else { continue }
                parts.append("\(name.string): \(Self.text(value))")
            }
        default: return Self.text(value)
        }
        return parts.joined(separator: ", ")
    }

    private static func text(_ value: Value) -> String {
        if case .int(let number) = value { return "\(number)" }
        return "\(value)"
    }

    /// Content of each kind before any change, as returned by `read`.
    static let contents: [Kind: String] = [
        .table: "1 dogs", .results: "1 dogs", .object: "30", .embedded: "12", .list: "dog 5",
        .set: "7, 9", .dictionary: "a: 3",
    ]

    /// Changes the content of every kind to `changed`.
    func changeAll(_ transaction: WriteTransaction) throws(RealmError) {
        try addDog(transaction, age: 6)
        try transaction.set(person, ann, Column.age.rawValue, .int(31))
        try transaction.set(address, home, 0, .int(13))
        try transaction.setElements(person, ann, Column.lucky.rawValue, [.int(8)])
        try transaction.setEntries(person, ann, Column.scores.rawValue, [])
    }

    static let changed: [Kind: String] = [
        .table: "2 dogs", .results: "2 dogs", .object: "31", .embedded: "13",
        .list: "dog 5, dog 6", .set: "8", .dictionary: "",
    ]

    func audit() throws {
        try ModelRun.audit(IntegrityCheck.run(path: configuration.path), "at the end")
    }
}

/// Retains the instance of a queue or actor between pieces of work. Accessed only in that context.
final class InstanceSlot: @unchecked Sendable {
    var instance: Instance!
}

extension Optional where Wrapped == ExitTest.Result {
    /// Standard error output of the process.
    var said: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }
}
