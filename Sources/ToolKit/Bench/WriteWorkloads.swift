import RealmEngine

/// Inserts people in the order of their primary keys.
class FillSequential: WriteWorkload {
    override var startsFull: Bool { false }

    /// Primary keys in the order in which they are inserted.
    var order: [Int64] { (0..<Int64(finalCount)).map { $0 } }

    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed, photoSize: setting.valueSize)
        let ids = order
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.insert(source.next(id: ids[i]))
        }
    }
}

/// Inserts people in random order of their primary keys.
final class FillRandom: FillSequential {
    override var order: [Int64] { shuffled(finalCount) }
}

/// As `FillSequential`, with commits ten times as large.
final class FillBatch: FillSequential {
    override var commitEvery: Int { setting.batch * 10 }
}

/// Inserts people with a commit for each, a hundredth of the number.
final class FillSync: FillSequential {
    override var finalCount: Int { max(1, setting.num / 100) }
    override var commitEvery: Int { 1 }
}

/// Finds people at random by primary key and sets all their properties.
final class Overwrite: WriteWorkload {
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed &+ 1, photoSize: setting.valueSize)
        let ids = shuffled(setting.num)
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.set(try people.find(ids[i]), source.next(id: ids[i]))
        }
    }
}

/// Finds people at random by primary key and sets one number.
final class UpdateRandom: WriteWorkload {
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var random = SplitMix64(seed: setting.seed &+ 2)
        let count = setting.num
        try repeatOperation(count, people, &meter) { (i) throws(RealmError) in
            let key = try people.find(Int64(random.below(count)))
            try people.countVisit(key, to: Int64(i))
        }
    }
}

/// Removes all people in the order of their primary keys.
class DeleteSequential: WriteWorkload {
    override var finalCount: Int { 0 }

    /// Primary keys in the order in which they are removed.
    var order: [Int64] { (0..<Int64(setting.num)).map { $0 } }

    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        let ids = order
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.remove(try people.find(ids[i]))
        }
    }
}

/// Removes all people in random order.
final class DeleteRandom: DeleteSequential {
    override var order: [Int64] { shuffled(setting.num) }
}

/// Removes a person at random and inserts a new one, again and again: what the file grows by is
/// space that was not used again.
final class Churn: WriteWorkload {
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed &+ 3, photoSize: setting.valueSize)
        var random = SplitMix64(seed: setting.seed &+ 4)
        let count = setting.num
        var ids = (0..<Int64(count)).map { $0 }
        try repeatOperation(count, people, &meter) { (i) throws(RealmError) in
            let place = random.below(count)
            try people.remove(try people.find(ids[place]))
            ids[place] = Int64(count + i)
            try people.insert(source.next(id: ids[place]))
        }
    }
}

/// Adds a search index to a property of all people. One operation is an object; single ones are
/// not timed.
final class CreateIndex: WriteWorkload {
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        let column = PeopleDatabase.Column.email.rawValue
        try people.writing().setIndex(people.person, column, .general)
        try people.commit()
        meter.count(operations: setting.num)
    }

    override func check(_ snapshot: Snapshot, _ person: TableInfo) throws(RealmError) {
        guard person.columns[PeopleDatabase.Column.email.rawValue].isIndexed else {
            throw .failedCheck("the index that was created is not there")
        }
    }
}
