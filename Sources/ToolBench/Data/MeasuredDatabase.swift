import RealmEngine
import ToolKit

/// A database that a workload creates or writes to. Collects statistics about writes to its file.
///
/// Confined to one thread. Changes accumulate in a transaction until `commit`.
open class MeasuredDatabase {
    let path: String
    let database: Database
    /// Session that created the file; nil if an instance was opened in an existing database.
    let session: WriteSession?
    /// Instance that writes instead of the session, in workloads with several threads; otherwise
    /// nil.
    private var instance: Instance?
    private var transaction: WriteTransaction?
    /// Size in bytes of the values that were changed, without the overhead of storage.
    var logicalBytes = 0
    private var commits = 0
    private var syncTimes = LatencyHistogram()
    private var workTimes = LatencyHistogram()
    private var maximumVersionCount = 0
    private var growth = GrowthCurve()
    private var before = WriteSession.WriteStatistics()
    /// Whether `apart` is running, so that commits do not count in the statistics.
    private var excludesCommits = false
    /// Number of syncs during calls of `apart`, which the statistics leave out. `asideBytes` is the
    /// number of bytes written during these calls.
    private var asideSyncs = 0
    private var asideBytes = 0
    private var sizeAtStart = 0

    /// Number of old versions that `commit` pins, one after each commit. `pins` are the snapshots
    /// that pin versions at present.
    private var pinsWanted = 0
    private var pins: [Snapshot] = []

    /// Creates the database file.
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

    /// Opens an instance for the calling thread, in a database that this process already has open.
    /// For additional writers of a workload.
    init(joining path: String, _ setting: BenchSetting) throws(RealmError) {
        self.path = path
        let joined = try Instance.open(path, setting)
        instance = joined
        database = joined.database
        session = nil
        resetStatistics()
    }

    /// Uses an instance for the calling thread for all further transactions.
    func writeAsInstance(_ setting: BenchSetting) throws(RealmError) {
        if instance == nil { instance = try Instance.open(path, setting) }
    }

    /// Returns a snapshot of the newest version visible to this thread.
    package func snapshot() -> Snapshot { instance?.snapshot() ?? database.snapshot() }

    /// Returns the open transaction. Begins one if there is none.
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

    /// Commits the changes since the last commit.
    package func commit() throws(RealmError) {
        guard let transaction else { return }
        let waitedBefore = writeStatistics.syncNanoseconds
        let began = MonotonicClock.nanoseconds()
        if let instance { try instance.commitWrite() } else { try transaction.commit() }
        self.transaction = nil
        let spent = MonotonicClock.nanoseconds() &- began
        if !excludesCommits {
            note(spent, waited: UInt64(writeStatistics.syncNanoseconds - waitedBefore))
        }
        if pins.count < pinsWanted { pins.append(database.snapshot()) }
    }

    /// Records a commit that took `spent` nanoseconds, of which it waited `waited` for syncs.
    private func note(_ spent: UInt64, waited: UInt64) {
        commits += 1
        if waited > 0 { syncTimes.record(waited) }
        workTimes.record(spent > waited ? spent &- waited : 0)
        maximumVersionCount = max(maximumVersionCount, liveVersions)
        growth.add(session?.fileSize ?? ScratchFile.size(path))
    }

    /// Discards the changes since the last commit.
    package func rollback() {
        guard let transaction else { return }
        if let instance { instance.cancelWrite() } else { transaction.rollback() }
        self.transaction = nil
    }

    /// Pins the newest version, and then the version after each commit, until `count` versions are
    /// pinned.
    func pin(_ count: Int) {
        pinsWanted = count
        if count > 0 { pins.append(database.snapshot()) }
    }

    var pinCount: Int { pins.count }

    func releasePins() {
        pinsWanted = 0
        pins = []
    }

    // MARK: Measurements

    /// Number of syncs, and number of bytes written, through this object.
    private var writeStatistics: WriteSession.WriteStatistics {
        var writeStatistics = session?.writeStatistics ?? WriteSession.WriteStatistics()
        guard let other = instance?.writeStatistics else { return writeStatistics }
        writeStatistics.add(other)
        return writeStatistics
    }

    /// Number of live versions; 0 unless this object has created the file.
    private var liveVersions: Int { session?.liveVersions ?? 0 }

    /// Resets the statistics about writes, after the preparations of a workload and before the
    /// measured part.
    package func resetStatistics() {
        (logicalBytes, commits) = (0, 0)
        maximumVersionCount = liveVersions
        (syncTimes, workTimes) = (LatencyHistogram(), LatencyHistogram())
        sizeAtStart = ScratchFile.size(path)
        growth = GrowthCurve()
        growth.add(sizeAtStart)
        before = writeStatistics
        (asideSyncs, asideBytes) = (0, 0)
    }

    /// Runs `body` without counting its changes in the statistics.
    package func apart(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        let (counted, known) = (logicalBytes, writeStatistics)
        excludesCommits = true
        defer { excludesCommits = false }
        try body()
        logicalBytes = counted
        let now = writeStatistics
        asideSyncs += now.syncs - known.syncs
        asideBytes += now.bytes - known.bytes
    }

    /// Adds the commits of another writer to the statistics. That writer has committed through
    /// `session`.
    func note(commits: Int, logicalBytes: Int) {
        self.commits += commits
        self.logicalBytes += logicalBytes
        maximumVersionCount = max(maximumVersionCount, liveVersions)
    }

    /// Returns the statistics since the last reset. Versions pinned before the reset still count as
    /// pinned.
    package func figures() throws(RealmError) -> StorageStatistics {
        let writeStatistics = writeStatistics
        var figures = StorageStatistics()
        figures.commits = commits
        figures.syncs = writeStatistics.syncs - before.syncs - asideSyncs
        figures.bytesWritten = writeStatistics.bytes - before.bytes - asideBytes
        figures.logicalBytes = logicalBytes
        figures.sizeAtStart = sizeAtStart
        figures.sizeAtEnd = ScratchFile.size(path)
        if let space = try session?.space() {
            figures.freeBytes = space.freeBytes
            figures.pinnedBytes = space.pinnedBytes
        }
        figures.maximumVersionCount = maximumVersionCount
        figures.syncTimes = syncTimes
        figures.workTimes = workTimes
        figures.growth = growth
        return figures
    }
}

extension Instance {
    /// Opens an instance of a measured database: for the calling thread, or for another context.
    static func open(
        _ path: String, _ setting: BenchSetting, on confinement: Confinement = .thread
    ) throws(RealmError) -> Instance {
        var configuration = Configuration(path: path)
        configuration.isDurable = setting.isDurable
        configuration.key = setting.key
        return try open(configuration, on: confinement)
    }
}
