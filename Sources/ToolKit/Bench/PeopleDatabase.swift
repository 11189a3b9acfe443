import RealmEngine

/// A database of made-up people, open for writing: what the write workloads work on.
///
/// Confined to one thread. Changes gather in a transaction until `commit`.
final class PeopleDatabase {
    /// Positions of the properties of Person, in the order in which they are created.
    enum Column: Int {
        case id, name, age, email, score, active, created, city, visits, best, dogs, photo
    }

    let path: String
    let session: WriteSession
    private(set) var person = TableKey.none
    private var dog = TableKey.none
    private var dogs: [ObjectKey] = []
    private var transaction: WriteTransaction?
    private let hasPhotos: Bool
    /// Bytes of the values changed so far, without anything it takes to store them.
    private(set) var logicalBytes = 0
    private(set) var commits = 0
    /// How long commits waited for their syncs, in nanoseconds.
    private(set) var syncTimes = LatencyHistogram()

    /// Creates the file with its classes and dogs, and no people.
    init(path: String, _ setting: BenchSetting) throws(RealmError) {
        self.path = path
        hasPhotos = setting.valueSize > 0
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = setting.isDurable
        session = try WriteSession(path: path, options: options)
        try createSchema()
        try createDogs()
        try commit()
        (logicalBytes, commits, syncTimes) = (0, 0, LatencyHistogram())
    }

    /// The open transaction; begins one if there is none.
    func writing() throws(RealmError) -> WriteTransaction {
        if let transaction { return transaction }
        let begun = try session.begin()
        transaction = begun
        return begun
    }

    /// Makes everything since the last commit one new version.
    func commit() throws(RealmError) {
        guard let transaction else { return }
        let before = session.traffic.syncNanoseconds
        try transaction.commit()
        self.transaction = nil
        commits += 1
        let waited = session.traffic.syncNanoseconds - before
        if waited > 0 { syncTimes.record(UInt64(waited)) }
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
    /// Inserts as many people as the setting says.
    func fill(_ setting: BenchSetting) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed, photoSize: setting.valueSize)
        for i in 0..<setting.num {
            try insert(source.next(id: Int64(i)))
            // Preparing need not wait for the disk more often than its memory demands.
            if i % 20_000 == 19_999 { try commit() }
        }
        try commit()
    }

    /// Adds the indexes queries are measured with.
    func addIndexes() throws(RealmError) {
        let transaction = try writing()
        try transaction.setIndex(person, Column.email.rawValue, .general)
        try transaction.setIndex(person, Column.name.rawValue, .fullText)
        try commit()
    }

    /// Creates an object for the person and returns its key.
    @discardableResult
    func insert(_ someone: Person) throws(RealmError) -> ObjectKey {
        let key = try writing().create(in: person, primaryKey: .int(someone.id))
        try set(key, someone)
        return key
    }

    /// Sets every property but the primary key.
    func set(_ key: ObjectKey, _ someone: Person) throws(RealmError) {
        try set(key, .name, .string(someone.name))
        try set(key, .age, .int(someone.age))
        try set(key, .email, .string(someone.email))
        try set(key, .score, .double(someone.score))
        try set(key, .active, .bool(someone.isActive))
        try set(key, .created, .timestamp(someone.created))
        try set(key, .city, .string(someone.city))
        try set(key, .visits, someone.visits.map { .int($0) } ?? .null)
        try set(key, .best, someone.best.map { .link(link($0)) } ?? .null)
        if let dog = someone.dog {
            try writing().setElements(person, key, Column.dogs.rawValue, [.link(link(dog))])
        }
        if let photo = someone.photo { try set(key, .photo, .binary(photo)) }
        logicalBytes += someone.logicalSize
    }

    /// Adds one to a number, as a counter would be.
    func countVisit(_ key: ObjectKey, to visits: Int64) throws(RealmError) {
        try set(key, .visits, .int(visits))
        logicalBytes += 8
    }

    func remove(_ key: ObjectKey) throws(RealmError) {
        try writing().remove(person, key)
        logicalBytes += 8
    }

    /// Key of the person with that primary key, found through its index.
    func find(_ id: Int64) throws(RealmError) -> ObjectKey {
        guard let key = try writing().find(in: person, primaryKey: .int(id)) else {
            throw .failedCheck("person \(id) is not found by primary key")
        }
        return key
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
