import RealmEngine
import ToolKit

/// Writes a number in many asynchronous transactions of one instance. All transactions are
/// requested at once. With grouping, consecutive transactions share their syncs. One operation is a
/// transaction, timed from its request until it is durable.
final class AsyncCommitWorkload: Workload {
    private let setting: BenchSetting
    private let isGrouped: Bool
    private let scratch: ScratchFile
    private var count: Int { max(1, setting.num / 100) }

    init(_ setting: BenchSetting, isGrouped: Bool) throws(RealmError) {
        self.setting = setting
        self.isGrouped = isGrouped
        scratch = try ScratchFile(setting, name: isGrouped ? "commit-grouped" : "commit-async")
    }

    func setUp() throws(RealmError) {
        var unsynced = setting
        unsynced.isDurable = false
        try PeopleDatabase(path: scratch.path, unsynced).fill(unsynced)
        try scratch.sync()
    }

    /// State of one run. It belongs to the thread of the `WorkQueue` on which the transactions are
    /// requested. The measuring thread waits for `finished` until `left`, the number of
    /// transactions that have not ended, is 0. It reads the other properties afterwards.
    private final class State: @unchecked Sendable {
        var instance: Instance?
        var meter = Meter()
        var failure: RealmError?
        var left: Int
        let finished = Monitor()

        init(_ count: Int) { left = count }

        func end(_ error: RealmError?) {
            finished.signal {
                if let error, failure == nil { failure = error }
                left -= 1
            }
        }
    }

    @_optimize(speed)
    func run(_ meter: inout Meter) throws(RealmError) {
        let queue = WorkQueue("bench")
        let state = State(count)
        var configuration = Instance.Configuration(path: scratch.path)
        configuration.isDurable = setting.isDurable
        configuration.key = setting.key
        let (count, isGrouped, confinement) = (count, isGrouped, queue.confinement)
        meter.start()
        queue.async { [configuration] in
            do throws(RealmError) {
                try Self.request(state, configuration, confinement, count, isGrouped)
            } catch {
                state.finished.signal {
                    state.failure = error
                    state.left = 0
                }
            }
        }
        state.finished.wait { state.left <= 0 }
        meter.stop()
        queue.sync { state.instance = nil }
        queue.close()
        if let failure = state.failure { throw failure }
        meter.merge(state.meter)
    }

    private static func request(
        _ state: State, _ configuration: Instance.Configuration, _ confinement: Confinement,
        _ count: Int, _ isGrouped: Bool
    ) throws(RealmError) {
        let instance = try Instance.open(configuration, on: confinement)
        state.instance = instance
        guard let info = instance.database.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        for i in 1...count {
            let began = MonotonicClock.nanoseconds()
            try instance.writeAsync(allowGrouping: isGrouped) { transaction in
                do throws(RealmError) {
                    try transaction.countVisit(of: 0, in: info.key, to: Int64(i))
                } catch {
                    state.finished.signal { state.failure = error }
                }
            } onComplete: { error in
                state.meter.record(MonotonicClock.nanoseconds() &- began)
                state.end(error)
            }
        }
    }

    /// Checks that the number of the last transaction is stored, and that there is one version for
    /// each transaction.
    func finish(_ meter: Meter) throws(RealmError) -> RunOutcome {
        let database = try Database(immutable: scratch.path, key: setting.key)
        guard let info = database.schema.table(named: "Person") else {
            throw .failedCheck("the file that was written has no class Person")
        }
        let table = database.snapshot().table(info)
        guard let key = try table.find(primaryKey: .int(0)),
            case .int(let visits)? = try table.row(key)?.value(
                PeopleDatabase.Column.visits.rawValue), visits == Int64(count)
        else { throw .failedCheck("the last of the asynchronous transactions is not there") }
        let report = IntegrityCheck(database, level: .quick).run()
        guard report.errorCount == 0 else {
            throw .failedCheck("the file that was written is damaged")
        }
        return RunOutcome(
            version: database.version, objects: try table.count(), checksum: UInt64(visits))
    }
}
