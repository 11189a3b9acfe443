import RealmEngine
import ToolKit

extension WorkloadCatalogue {
    /// Workloads that access objects property by property, as programs with an object API do.
    static let objects: [WorkloadPlan] = [
        plan("object-get", "read an integer of one object repeatedly") {
            GetProperty($0)
        },
        plan(
            "object-iterate",
            "read two properties of every object, with one handle that moves from object to "
                + "object"
        ) {
            IterateObjects($0)
        },
        plan("object-each", "like object-iterate, with a new handle for each object") {
            EachObject($0)
        },
        plan(
            "results-index",
            "read one property of each object of a query's results, by its position in the results"
        ) {
            IndexResults($0)
        },
        plan("object-find", "find objects at random by primary key and read one property") {
            FindObject($0)
        },
        plan("object-set", "set an integer of each object in an open transaction") {
            SetProperty($0)
        },
        plan(
            "freeze",
            "freeze an instance and release the frozen instance"
        ) { FreezeInstance($0) },
    ]

    private static func plan(
        _ name: String, _ summary: String,
        make: @escaping @Sendable (BenchSetting) -> ObjectWorkload
    ) -> WorkloadPlan {
        WorkloadPlan(name, summary, ownsFile: true, isPaced: false) { make($0) }
    }
}

/// Base of workloads that read persons in a file of their own, by an instance of the measuring
/// thread. The operations are too short to be timed one by one.
class ObjectWorkload: Workload {
    let setting: BenchSetting
    private var scratch: ScratchFile?
    private var opened: ObjectClass?
    private(set) var keys: [ObjectKey] = []
    fileprivate(set) var sum: UInt64 = 0
    private var held: ObjectHandle?
    static var batch: Int { 1000 }

    init(_ setting: BenchSetting) { self.setting = setting }

    fileprivate final var objects: ObjectClass { opened! }
    fileprivate final var age: Int { PeopleDatabase.Column.age.rawValue }

    /// Returns the sum of two properties of an object.
    @inline(__always)
    fileprivate final func read(_ handle: ObjectHandle) throws(RealmError) -> Int64 {
        (try handle.int(PeopleDatabase.Column.id.rawValue) ?? 0) &+ (try handle.int(age) ?? 0)
    }

    func setUp() throws(RealmError) {
        let scratch = try ScratchFile(setting, name: "objects")
        self.scratch = scratch
        var unsynced = setting
        unsynced.isDurable = false
        try PeopleDatabase(path: scratch.path, unsynced).fill(unsynced)
        let instance = try Instance.open(scratch.path, unsynced, on: .thread)
        guard let info = instance.schema.table(named: "Person"),
            let objects = ObjectClass(instance, info.key)
        else { throw .failedCheck("the file that was written has no class Person") }
        keys = try instance.snapshot().table(info).keys()
        opened = objects
    }

    @_optimize(speed)
    func run(_ meter: inout Meter) throws(RealmError) {
        var done = 0
        meter.start()
        while done < setting.endless, !keys.isEmpty {
            let count = min(Self.batch, setting.endless - done)
            try perform(done, count)
            done += count
            meter.lap(operations: count)
            if meter.isOver { break }
        }
        meter.stop()
    }

    /// Runs the operations `first ..< first + count` with one object handle, which remains at its
    /// object between calls. `body` moves the handle to an object and returns a number, which is
    /// added to the checksum `sum`.
    @inline(__always)
    fileprivate final func walk(
        _ first: Int, _ count: Int,
        _ body: (inout ObjectHandle, _ i: Int) throws(RealmError) -> Int64
    ) throws(RealmError) {
        var handle = if let held { held } else { try ObjectHandle(objects, keys[0]) }
        var total: Int64 = 0
        for i in first..<first + count { total &+= try body(&handle, i) }
        held = handle
        sum &+= UInt64(bitPattern: total)
    }

    /// Returns key number `i`. After the last key, begins again with the first.
    @inline(__always)
    fileprivate final func key(_ i: Int) -> ObjectKey {
        keys[i < keys.count ? i : i % keys.count]
    }

    /// Runs operations `first ..< first + count`.
    func perform(_ first: Int, _ count: Int) throws(RealmError) {}

    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let instance = objects.instance
        if instance.isInWriteTransaction { instance.cancelWrite() }
        let version = instance.version
        instance.close()
        return RunOutcome(version: version, objects: meter.operations, checksum: sum)
    }
}

final class GetProperty: ObjectWorkload {
    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        let (handle, age) = (try ObjectHandle(objects, keys[0]), age)
        var total: Int64 = 0
        for _ in 0..<count { total &+= try handle.int(age) ?? 0 }
        sum &+= UInt64(bitPattern: total)
    }
}

final class IterateObjects: ObjectWorkload {
    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        try walk(first, count) { (handle, i) throws(RealmError) in
            try handle.move(to: key(i))
            return try read(handle)
        }
    }
}

final class EachObject: ObjectWorkload {
    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        try walk(first, count) { (handle, i) throws(RealmError) in
            handle = try handle.handle(of: key(i))
            return try read(handle)
        }
    }
}

final class IndexResults: ObjectWorkload {
    private var results: ObjectResults?

    override func setUp() throws(RealmError) {
        try super.setUp()
        results = ObjectResults(objects)
    }

    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        guard let results else { return }
        var total: Int64 = 0
        for i in first..<first + count {
            let position = i < keys.count ? i : i % keys.count
            total &+= try results.object(at: position).int(age) ?? 0
        }
        sum &+= UInt64(bitPattern: total)
    }
}

final class FindObject: ObjectWorkload {
    private var chooser = KeyChooser(.uniform, count: 1, seed: 0)

    override func setUp() throws(RealmError) {
        try super.setUp()
        chooser = KeyChooser(setting.distribution, count: max(1, keys.count), seed: setting.seed)
    }

    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        var total: Int64 = 0
        for _ in 0..<count {
            let id = Int64(chooser.choose(keys.count))
            guard let object = try objects.object(primaryKey: .int(id)) else {
                throw .failedCheck("there is no object \(id)")
            }
            total &+= try object.int(age) ?? 0
        }
        sum &+= UInt64(bitPattern: total)
    }
}

final class SetProperty: ObjectWorkload {
    override func setUp() throws(RealmError) {
        try super.setUp()
        try objects.instance.beginWrite()
    }

    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        try walk(first, count) { (handle, i) throws(RealmError) in
            try handle.move(to: key(i))
            try handle.set(age, .int(Int64(i % 100)))
            return 1
        }
    }
}

final class FreezeInstance: ObjectWorkload {
    @_optimize(speed)
    override func perform(_ first: Int, _ count: Int) throws(RealmError) {
        for _ in 0..<count { sum &+= try objects.instance.freeze().isFrozen ? 1 : 0 }
    }
}
