import RealmEngine
import ToolKit

extension WorkloadCatalogue {
    /// Workloads that write to a new file of generated persons with one thread.
    package static let writing: [WorkloadPlan] = [
        plan(
            FillSequential.self, "fillseq", "insert objects in the order of their primary keys",
            in: [.standard, .scaling]),
        plan(
            FillRandom.self, "fillrandom", "insert objects in random order of their primary keys",
            in: [.standard, .scaling]),
        plan(
            FillBatch.self, "fillbatch", "like fillseq, with commits ten times as large",
            in: [.quick, .standard]),
        plan(
            FillSync.self, "fillsync",
            "insert N/100 objects, with a commit for each",
            in: [.quick, .standard, .scaling]),
        plan(
            EmptyCommit.self, "empty-commit",
            "commit N/100 empty transactions", in: [.standard]),
        plan(
            Overwrite.self, "overwrite",
            "find objects at random by primary key and set every property",
            in: [.standard, .scaling]),
        plan(
            UpdateRandom.self, "updaterandom",
            "find objects at random by primary key and set one number",
            in: [.quick, .standard, .scaling]),
        plan(
            DeleteSequential.self, "deleteseq",
            "remove all objects in the order of their primary keys", in: [.standard]),
        plan(
            DeleteRandom.self, "deleterandom", "remove all objects in random order",
            in: [.standard, .scaling]),
        plan(
            Churn.self, "churn", "remove an object at random and insert a new one",
            in: [.quick, .standard, .scaling]),
        plan(
            PinnedGrowth.self, "pinned-growth",
            "set numbers in small commits while a reader holds an old version",
            in: [.quick, .standard]),
        plan(
            ImportWorkload.self, "import", "insert objects from NDJSON, as realm-write does",
            isPaced: false, in: [.standard, .scaling]),
        plan(
            ListAppend.self, "list-append", "append numbers to a list property of one object",
            in: [.standard, .scaling]),
        plan(
            CreateIndex.self, "create-index",
            "add a search index to a string property of all objects", isPaced: false,
            in: [.standard, .scaling]),
    ]

    static func plan(
        _ type: StoringWorkload.Type, _ name: String, _ summary: String, isPaced: Bool = true,
        in sets: Set<WorkloadSet>
    ) -> WorkloadPlan {
        WorkloadPlan(name, summary, ownsFile: true, isPaced: isPaced, in: sets) {
            setting throws(RealmError) in
            try type.init(setting, name: name)
        }
    }
}

/// Inserts persons in the order of their primary keys.
class FillSequential: WriteWorkload {
    override final var startsFull: Bool { false }
    override final var finalCount: Int { done }

    /// Number of objects to insert.
    var count: Int { setting.num }
    /// Primary keys in the order of insertion.
    var order: [Int64] { (0..<Int64(count)).map { $0 } }

    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed, photoSize: setting.valueSize)
        let ids = order
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.insert(source.next(id: ids[i]))
        }
    }
}

/// Inserts persons in random order of their primary keys.
final class FillRandom: FillSequential {
    override var order: [Int64] { shuffled(count) }
}

/// Inserts persons in the order of their primary keys, with ten times as many persons per commit.
final class FillBatch: FillSequential {
    override var commitEvery: Int { setting.batch * 10 }
}

/// Inserts a hundredth of the number of persons, with one commit for each person.
final class FillSync: FillSequential {
    override var count: Int { max(1, setting.num / 100) }
    override var commitEvery: Int { 1 }
}

/// Finds persons by primary key, in random order, and sets all their properties.
final class Overwrite: WriteWorkload {
    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed &+ 1, photoSize: setting.valueSize)
        let ids = shuffled(setting.num)
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.set(try people.find(ids[i]), source.next(id: ids[i]))
        }
    }
}

/// Finds persons by primary key, in random order, and sets one number.
class UpdateRandom: WriteWorkload {
    /// Number of operations of a run: `--num`, or no limit with `--time`.
    var count: Int { setting.endless }

    @_optimize(speed)
    override final func perform(
        _ people: PeopleDatabase, _ meter: inout Meter
    ) throws(RealmError) {
        let all = setting.num
        var chooser = KeyChooser(setting.distribution, count: all, seed: setting.seed &+ 2)
        try repeatOperation(count, people, &meter) { (i) throws(RealmError) in
            let key = try people.find(Int64(chooser.choose(all)))
            try people.countVisit(key, to: Int64(i))
        }
    }
}

/// Commits transactions that change nothing.
final class EmptyCommit: WriteWorkload {
    override var startsFull: Bool { false }
    override var finalCount: Int { 0 }
    override var commitEvery: Int { 1 }

    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        let count = setting.time == nil ? max(1, setting.num / 100) : .max
        try repeatOperation(count, people, &meter) { (_) throws(RealmError) in
            _ = try people.writing()
        }
    }
}

/// Sets numbers in small commits while a version is pinned. The growth of the file is caused by the
/// pin, because the space of the pinned version cannot be reused.
final class PinnedGrowth: UpdateRandom {
    private var held = 0
    private var sizeAfterRelease = 0
    private var commits = 0

    override var count: Int { setting.time == nil ? max(1, setting.num / 5) : .max }
    override var commitEvery: Int { max(1, setting.batch / 10) }

    override func create() throws(RealmError) {
        try super.create()
        // With `--pin`, versions are already pinned.
        if setting.pins == 0 { people?.pin(1) }
    }

    override func complete(_ figures: inout StorageStatistics) throws(RealmError) {
        guard let people else { return }
        held = people.pinCount
        commits = figures.commits
        people.releasePins()
        // The space that is free after the release; the next commit could reuse it.
        sizeAfterRelease = try people.session?.space().freeBytes ?? 0
    }

    override var note: String? {
        guard let storage else { return nil }
        let versions = held == 1 ? "1 version" : "\(held) versions"
        let size = storage.compactedSize.map { "; \(Quantity.bytes($0)) compacted" } ?? ""
        return "\(versions) held for \(commits) commits; pinned "
            + "\(Quantity.bytes(storage.pinnedBytes)); \(Quantity.bytes(sizeAfterRelease)) free "
            + "after release" + size
    }
}

/// Deletes all persons in the order of their primary keys.
class DeleteSequential: WriteWorkload {
    override final var finalCount: Int { setting.num - done }

    /// Primary keys in the order of deletion.
    var order: [Int64] { (0..<Int64(setting.num)).map { $0 } }

    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        let ids = order
        try repeatOperation(ids.count, people, &meter) { (i) throws(RealmError) in
            try people.remove(try people.find(ids[i]))
        }
    }
}

/// Deletes all persons in random order.
final class DeleteRandom: DeleteSequential {
    override var order: [Int64] { shuffled(setting.num) }
}

/// Repeatedly deletes a random person and inserts a new one. The file grows by the space that is
/// not reused.
final class Churn: WriteWorkload {
    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        var source = PeopleSource(seed: setting.seed &+ 3, photoSize: setting.valueSize)
        var random = SplitMix64(seed: setting.seed &+ 4)
        let count = setting.num
        var ids = (0..<Int64(count)).map { $0 }
        try repeatOperation(setting.endless, people, &meter) { (i) throws(RealmError) in
            let place = random.below(count)
            try people.remove(try people.find(ids[place]))
            ids[place] = Int64(count + i)
            try people.insert(source.next(id: ids[place]))
        }
    }
}

/// Adds a search index to a property of all persons. One operation is an object. Objects are not
/// timed one by one.
final class CreateIndex: WriteWorkload {
    @_optimize(speed)
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
