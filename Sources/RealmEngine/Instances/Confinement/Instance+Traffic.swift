extension Instance {
    /// What went to the file through this instance's synchronous transactions, for reports. The queue
    /// writes asynchronous ones for all instances.
    package var traffic: WriteSession.Traffic { ownSession?.traffic ?? WriteSession.Traffic() }
}

extension WriteSession.Traffic {
    /// Counts what went through another handle too.
    package mutating func add(_ other: WriteSession.Traffic) {
        syncs += other.syncs
        syncNanoseconds += other.syncNanoseconds
        bytes += other.bytes
    }
}
