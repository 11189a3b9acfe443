extension Instance {
    /// File traffic of this instance's synchronous transactions, for reports. Asynchronous ones are
    /// counted by the queue, which writes for all instances.
    package var traffic: WriteSession.Traffic { ownSession?.traffic ?? WriteSession.Traffic() }
}

extension WriteSession.Traffic {
    /// Adds the traffic of another handle.
    package mutating func add(_ other: WriteSession.Traffic) {
        syncs += other.syncs
        syncNanoseconds += other.syncNanoseconds
        bytes += other.bytes
    }
}
