import RealmEngine
import ToolKit

/// A database of generated persons, open for writing. Most write workloads use it.
final class PeopleDatabase: MeasuredDatabase {
    /// Indexes of the properties of Person, in the order of creation.
    enum Column: Int {
        case id, name, age, email, score, active, created, city, visits, best, dogs, photo
    }

    private(set) var person = TableKey.none
    private var dog = TableKey.none
    private var dogs: [ObjectKey] = []
    private let hasPhotos: Bool
    /// Buffer for the property values of one person, in the order of `Column`.
    private let row: UnsafeMutableBufferPointer<Value>

    /// Creates the file with its classes and dogs, without persons.
    override init(path: String, _ setting: BenchSetting) throws(RealmError) {
        hasPhotos = setting.valueSize > 0
        row = Self.row(hasPhotos)
        try super.init(path: path, setting)
        try createSchema()
        try createDogs()
        try commit()
        resetStatistics()
    }

    /// Opens an instance for the calling thread, in a database of persons that this process already
    /// has open.
    override init(joining path: String, _ setting: BenchSetting) throws(RealmError) {
        hasPhotos = setting.valueSize > 0
        row = Self.row(hasPhotos)
        try super.init(joining: path, setting)
        guard let info = database.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        person = info.key
    }

    deinit { row.deallocate() }

    private static func row(_ hasPhotos: Bool) -> UnsafeMutableBufferPointer<Value> {
        let row = UnsafeMutableBufferPointer<Value>.allocate(
            capacity: Column.photo.rawValue + (hasPhotos ? 1 : 0))
        row.initialize(repeating: .null)
        return row
    }

    private func createSchema() throws(RealmError) {
        let t = try writing()
        dog = try t.createClass("Dog", primaryKey: PropertySpec("_id", .int))
        try t.addProperty(dog, PropertySpec("name", .string))
        try t.addProperty(dog, PropertySpec("age", .int))
        person = try t.createClass("Person", primaryKey: PropertySpec("_id", .int))
        let scalars: [(String, ColumnType)] = [
            ("name", .string), ("age", .int), ("email", .string), ("score", .double),
            ("active", .bool), ("created", .timestamp), ("city", .string),
        ]
        for (name, type) in scalars { try t.addProperty(person, PropertySpec(name, type)) }
        var visits = PropertySpec("visits", .int)
        visits.isOptional = true
        try t.addProperty(person, visits)
        var best = PropertySpec("best", .link)
        best.target = dog
        try t.addProperty(person, best)
        var owned = PropertySpec("dogs", .link)
        owned.target = dog
        owned.collection = .list
        try t.addProperty(person, owned)
        if hasPhotos { try t.addProperty(person, PropertySpec("photo", .binary)) }
    }

    private func createDogs() throws(RealmError) {
        let t = try writing()
        var text = ByteBuffer(capacity: 64)
        for i in 0..<PeopleSource.dogs {
            let key = try t.create(in: dog, primaryKey: .int(Int64(i)))
            text.removeAll()
            text.append("dog")
            text.append(number: i)
            try t.set(dog, key, 1, .string(ByteView(text.bytes.baseAddress!, count: text.count)))
            try t.set(dog, key, 2, .int(Int64(i % 15)))
            dogs.append(key)
        }
    }
}

// MARK: - Objects

extension PeopleDatabase {
    /// Inserts as many persons as the setting requests.
    func fill(_ setting: BenchSetting) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed, photoSize: setting.valueSize)
        for i in 0..<setting.num {
            try insert(source.next(id: Int64(i)))
            // Large transactions, so that preparations do not wait for the disk.
            if i % 20_000 == 19_999 { try commit() }
        }
        try commit()
    }

    /// Adds the indexes for query workloads.
    func addIndexes() throws(RealmError) {
        let transaction = try writing()
        try transaction.setIndex(person, Column.email.rawValue, .general)
        try transaction.setIndex(person, Column.name.rawValue, .fullText)
        try commit()
    }

    /// Creates an object for a person. Returns its key.
    @discardableResult
    func insert(_ someone: Person) throws(RealmError) -> ObjectKey {
        let t = try writing()
        let values = values(someone)
        let key = try t.create(in: person, values: UnsafeBufferPointer(values))
        try setDogs(key, someone, t)
        return key
    }

    /// Sets every property except the primary key.
    func set(_ key: ObjectKey, _ someone: Person) throws(RealmError) {
        let t = try writing()
        let values = values(someone)
        for i in 1..<values.count where i != Column.dogs.rawValue {
            try t.set(person, key, i, values[i])
        }
        try setDogs(key, someone, t)
    }

    /// Returns the values of a person's properties in the order of `Column`. They are valid until
    /// the next call.
    private func values(_ someone: Person) -> UnsafeMutableBufferPointer<Value> {
        func put(_ column: Column, _ value: Value) { row[column.rawValue] = value }
        put(.id, .int(someone.id))
        put(.name, .string(someone.name))
        put(.age, .int(someone.age))
        put(.email, .string(someone.email))
        put(.score, .double(someone.score))
        put(.active, .bool(someone.isActive))
        put(.created, .timestamp(someone.created))
        put(.city, .string(someone.city))
        put(.visits, someone.visits.map { .int($0) } ?? .null)
        put(.best, someone.best.map { .link(link($0)) } ?? .null)
        if let photo = someone.photo { put(.photo, .binary(photo)) }
        return row
    }

    private func setDogs(
        _ key: ObjectKey, _ someone: Person, _ t: WriteTransaction
    ) throws(RealmError) {
        if let dog = someone.dog {
            try t.setElements(person, key, Column.dogs.rawValue, [.link(link(dog))])
        }
        logicalBytes += someone.logicalSize
    }

    /// Sets the number of visits of a person.
    func countVisit(_ key: ObjectKey, to visits: Int64) throws(RealmError) {
        try set(key, .visits, .int(visits))
        logicalBytes += 8
    }

    func remove(_ key: ObjectKey) throws(RealmError) {
        try writing().remove(person, key)
        logicalBytes += 8
    }

    /// Returns the key of the person whose primary key is `id`. Throws if there is none.
    func find(_ id: Int64) throws(RealmError) -> ObjectKey {
        try writing().findPerson(id, in: person)
    }

    private func set(
        _ key: ObjectKey, _ column: Column, _ value: Value
    ) throws(RealmError) {
        try writing().set(person, key, column.rawValue, value)
    }

    private func link(_ position: Int) -> ObjectLink {
        ObjectLink(table: dog, key: dogs[position])
    }
}

extension WriteTransaction {
    /// Returns the key of the person whose primary key is `id`. Throws if there is none.
    func findPerson(_ id: Int64, in table: TableKey) throws(RealmError) -> ObjectKey {
        guard let key = try find(in: table, primaryKey: .int(id)) else {
            throw .failedCheck("person \(id) is not found by primary key")
        }
        return key
    }

    /// Sets the number of visits of a person. For workloads that write through instances.
    func countVisit(of id: Int64, in table: TableKey, to visits: Int64) throws(RealmError) {
        let key = try findPerson(id, in: table)
        try set(table, key, PeopleDatabase.Column.visits.rawValue, .int(visits))
    }
}
