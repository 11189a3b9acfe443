import RealmEngine
import ToolKit

/// A new database, open for writing, that keeps account of what goes to its file.
///
/// Confined to one thread. Changes gather in a transaction until `commit`.
open class MeasuredDatabase {
    let path: String
    let database: Database
    /// What the file was created with; nil for a database that was joined.
    let session: WriteSession?
    /// Writes in place of the session, where the workload is about programs with several threads.
    private var instance: Instance?
    private var transaction: WriteTransaction?
    /// Bytes of the values changed so far, without anything it takes to store them.
    var logicalBytes = 0
    private var commits = 0
    private var syncTimes = LatencyHistogram()
    private var workTimes = LatencyHistogram()
    private var mostVersions = 0
    private var growth = GrowthCurve()
    private var before = WriteSession.Traffic()
    /// What is committed now does not count.
    private var isApart = false
    /// What was synced and written on the side since then.
    private var asideSyncs = 0
    private var asideBytes = 0
    private var sizeAtStart = 0

    /// Old versions still to be held, and those that are.
    private var pinsWanted = 0
    private var pins: [Snapshot] = []

    /// Creates the file.
    package init(path: String, _ setting: BenchSetting) throws(RealmError) {
        self.path = path
        var options = WriteSession.Options()
        options.creates = true
        options.isDurable = setting.isDurable
        options.key = setting.key
        let session = try WriteSession(path: path, options: options)
        self.session = session
        database = session.database
    }

    /// Joins a database that this process has open already, with an instance of the calling thread.
    init(joining path: String, _ setting: BenchSetting) throws(RealmError) {
        self.path = path
        let joined = try Instance.open(path, setting)
        instance = joined
        database = joined.database
        session = nil
        forgetFigures()
    }

    /// From now on transactions are those of an instance of the calling thread.
    func writeAsInstance(_ setting: BenchSetting) throws(RealmError) {
        if instance == nil { instance = try Instance.open(path, setting) }
    }

    /// The newest version, as this thread sees it.
    package func snapshot() -> Snapshot { instance?.snapshot() ?? database.snapshot() }

    /// The open transaction; begins one if there is none.
    package func writing() throws(RealmError) -> WriteTransaction {
        if let transaction { return transaction }
        let begun = try begin()
        transaction = begun
        return begun
    }

    private func begin() throws(RealmError) -> WriteTransaction {
        if let instance {
            try instance.beginWrite()
            return instance.write
        }
        guard let session else { throw .failedCheck("nothing writes to the database") }
        return try session.begin()
    }

    /// Makes everything since the last commit one new version.
    package func commit() throws(RealmError) {
        guard let transaction else { return }
        let waitedBefore = traffic.syncNanoseconds
        let began = MonotonicClock.nanoseconds()
        if let instance { try instance.commitWrite() } else { try transaction.commit() }
        self.transaction = nil
        let spent = MonotonicClock.nanoseconds() &- began
        if !isApart { note(spent, waited: UInt64(traffic.syncNanoseconds - waitedBefore)) }
        if pins.count < pinsWanted { pins.append(database.snapshot()) }
    }

    /// A commit took `spent` nanoseconds, of which it waited for some.
    private func note(_ spent: UInt64, waited: UInt64) {
        commits += 1
        if waited > 0 { syncTimes.record(waited) }
        workTimes.record(spent > waited ? spent &- waited : 0)
        mostVersions = max(mostVersions, liveVersions)
        growth.add(session?.fileSize ?? ScratchFile.size(path))
    }

    /// Forgets everything since the last commit.
    package func rollback() {
        guard let transaction else { return }
        if let instance { instance.cancelWrite() } else { transaction.rollback() }
        self.transaction = nil
    }

    /// Holds the newest version, and after each commit another one until there are `count`.
    func pin(_ count: Int) {
        pinsWanted = count
        if count > 0 { pins.append(database.snapshot()) }
    }

    var pinCount: Int { pins.count }

    func releasePins() {
        pinsWanted = 0
        pins = []
    }

    // MARK: Figures

    /// What went to the file through this handle.
    private var traffic: WriteSession.Traffic {
        var traffic = session?.traffic ?? WriteSession.Traffic()
        guard let other = instance?.traffic else { return traffic }
        traffic.add(other)
        return traffic
    }

    /// Known to the handle that created the file.
    private var liveVersions: Int { session?.liveVersions ?? 0 }

    /// Begins to count anew: what came before was preparation.
    package func forgetFigures() {
        (logicalBytes, commits) = (0, 0)
        mostVersions = liveVersions
        (syncTimes, workTimes) = (LatencyHistogram(), LatencyHistogram())
        sizeAtStart = ScratchFile.size(path)
        growth = GrowthCurve()
        growth.add(sizeAtStart)
        before = traffic
        (asideSyncs, asideBytes) = (0, 0)
    }

    /// Does something that is not counted: what it commits is no part of the measurement.
    package func apart(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        let (counted, known) = (logicalBytes, traffic)
        isApart = true
        defer { isApart = false }
        try body()
        logicalBytes = counted
        let now = traffic
        asideSyncs += now.syncs - known.syncs
        asideBytes += now.bytes - known.bytes
    }

    /// Counts what was committed through the session by somebody else.
    func note(commits: Int, logicalBytes: Int) {
        self.commits += commits
        self.logicalBytes += logicalBytes
        mostVersions = max(mostVersions, liveVersions)
    }

    /// What was stored since then. Held versions still count as pinned.
    package func figures() throws(RealmError) -> StorageFigures {
        let traffic = traffic
        var figures = StorageFigures()
        figures.commits = commits
        figures.syncs = traffic.syncs - before.syncs - asideSyncs
        figures.bytesWritten = traffic.bytes - before.bytes - asideBytes
        figures.logicalBytes = logicalBytes
        figures.sizeAtStart = sizeAtStart
        figures.sizeAtEnd = ScratchFile.size(path)
        if let space = try session?.space() {
            figures.freeBytes = space.freeBytes
            figures.pinnedBytes = space.pinnedBytes
        }
        figures.mostVersions = mostVersions
        figures.syncTimes = syncTimes
        figures.workTimes = workTimes
        figures.growth = growth
        return figures
    }
}

extension Instance {
    /// The instance of the calling thread, or of its loop, of a database that workloads measure.
    static func open(
        _ path: String, _ setting: BenchSetting, on confinement: Confinement = .thread
    ) throws(RealmError) -> Instance {
        var configuration = Configuration(path: path)
        configuration.isDurable = setting.isDurable
        configuration.key = setting.key
        return try open(configuration, on: confinement)
    }
}
