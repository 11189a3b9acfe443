import ToolKit

/// What a run stored, and what that cost.
package struct StorageFigures: Sendable {
    var commits = 0
    var syncs = 0
    /// Bytes the engine wrote to the file.
    var bytesWritten = 0
    /// Bytes of the values changed, without anything it takes to store them.
    var logicalBytes = 0
    var sizeAtStart = 0
    var sizeAtEnd = 0
    /// Size of a compacted copy; nil when none was made.
    package var compactedSize: Int?
    /// Bytes the newest version reaches; nil when nobody counted them.
    package var liveBytes: Int?
    /// Bytes of the file that a commit may use at the end.
    var freeBytes = 0
    /// Bytes kept at the end only because somebody holds an older version.
    var pinnedBytes = 0
    /// Most versions that existed at once.
    var mostVersions = 0
    /// How long commits waited for their syncs, and how long they took without, in nanoseconds.
    var syncTimes = LatencyHistogram()
    var workTimes = LatencyHistogram()
    /// Sizes of the file after its commits.
    var growth = GrowthCurve()

    /// Bytes written for each byte changed; nil when nothing changed.
    var writeAmplification: Double? {
        logicalBytes == 0 ? nil : Double(bytesWritten) / Double(logicalBytes)
    }

    /// Bytes of the file for each byte that its newest version reaches.
    var spaceAmplification: Double? {
        liveBytes.flatMap { $0 == 0 ? nil : Double(sizeAtEnd) / Double($0) }
    }

    /// Adds what another handle did to the same file in the same time.
    mutating func add(_ other: StorageFigures) {
        commits += other.commits
        syncs += other.syncs
        bytesWritten += other.bytesWritten
        logicalBytes += other.logicalBytes
        mostVersions = max(mostVersions, other.mostVersions)
        syncTimes.merge(other.syncTimes)
        workTimes.merge(other.workTimes)
    }
}
