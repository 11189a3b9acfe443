import RealmEngine
import ToolKit

/// Appends numbers to one list, which is empty at the beginning.
final class ListAppend: StoringWorkload {
    private var database: ListDatabase?
    private var done = 0

    override var store: MeasuredDatabase? { database }

    override func create() throws(RealmError) {
        database = try ListDatabase(path: scratch.path, setting)
    }

    override func close() { database = nil }

    @_optimize(speed)
    override func perform(_ meter: inout Meter) throws(RealmError) {
        guard let database else { return }
        var random = SplitMix64(seed: setting.seed)
        while done < setting.endless, !meter.isOver {
            try database.append(Int64(bitPattern: random.next()))
            done += 1
            if done % setting.batch == 0 || done == setting.endless { try database.commit() }
            meter.lap()
        }
        try database.commit()
    }

    /// Checks that the list contains the appended numbers in order.
    override func check(_ snapshot: Snapshot) throws(RealmError) -> Int {
        let table = try snapshot.table(written: "Series")
        guard let key = try table.keys().first, case .list(let view)? = try table.row(key)?.value(0)
        else { throw .failedCheck("the file that was written has no list") }
        var random = SplitMix64(seed: setting.seed)
        var (cursor, count) = (snapshot.elements(of: view), 0)
        while let element = try cursor.next() {
            guard ValueOrder.areEqual(element, .int(Int64(bitPattern: random.next()))) else {
                throw .failedCheck("element \(count) of the list is not what was appended")
            }
            count += 1
        }
        guard count == done else {
            throw .failedCheck("the list has \(count) elements instead of \(done)")
        }
        return count
    }
}

/// One object with a list of numbers.
private final class ListDatabase: MeasuredDatabase {
    private var table = TableKey.none
    private var object = ObjectKey(0)

    override init(path: String, _ setting: BenchSetting) throws(RealmError) {
        try super.init(path: path, setting)
        table = try writing().createClass("Series")
        var numbers = PropertySpec("numbers", .int)
        numbers.collection = .list
        try writing().addProperty(table, numbers)
        object = try writing().create(in: table)
        try commit()
        resetStatistics()
    }

    func append(_ number: Int64) throws(RealmError) {
        try writing().appendElements(table, object, 0, [.int(number)])
        logicalBytes += 8
    }
}
