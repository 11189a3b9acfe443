import ToolKit

/// Storage statistics of a run.
package struct StorageStatistics: Sendable {
    var commits = 0
    var syncs = 0
    /// Bytes that the engine wrote to the file.
    var bytesWritten = 0
    /// Size in bytes of the values that were changed, without the overhead of storage.
    var logicalBytes = 0
    var sizeAtStart = 0
    var sizeAtEnd = 0
    /// Size of a compacted copy in bytes; nil if none was made.
    package var compactedSize: Int?
    /// Bytes reachable from the newest version; nil if they were not counted.
    package var liveBytes: Int?
    /// Bytes that a commit can use without growing the file, at the end of the run.
    var freeBytes = 0
    /// Bytes that are in use only by older versions that are pinned, at the end of the run.
    var pinnedBytes = 0
    /// Maximum number of versions that existed at once.
    var maximumVersionCount = 0
    /// For each commit, the nanoseconds that it waited for syncs. `workTimes` are the nanoseconds
    /// of the other work of the commit.
    var syncTimes = LatencyHistogram()
    var workTimes = LatencyHistogram()
    /// Sizes of the file after its commits.
    var growth = GrowthCurve()

    /// Bytes written per changed byte; nil if nothing changed.
    var writeAmplification: Double? {
        logicalBytes == 0 ? nil : Double(bytesWritten) / Double(logicalBytes)
    }

    /// File size per byte reachable from the newest version; nil if those bytes were not counted.
    var spaceAmplification: Double? {
        liveBytes.flatMap { $0 == 0 ? nil : Double(sizeAtEnd) / Double($0) }
    }

    /// Adds the statistics of another writer of the same file during the same measurement.
    mutating func add(_ other: StorageStatistics) {
        commits += other.commits
        syncs += other.syncs
        bytesWritten += other.bytesWritten
        logicalBytes += other.logicalBytes
        maximumVersionCount = max(maximumVersionCount, other.maximumVersionCount)
        syncTimes.merge(other.syncTimes)
        workTimes.merge(other.workTimes)
    }
}
