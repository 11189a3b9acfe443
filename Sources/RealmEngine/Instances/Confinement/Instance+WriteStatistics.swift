extension Instance {
    /// File traffic of this instance's synchronous transactions, for reports. Asynchronous ones are
    /// counted by the queue, which writes for all instances.
    package var writeStatistics: WriteSession.WriteStatistics {
        ownSession?.writeStatistics ?? WriteSession.WriteStatistics()
    }
}

extension WriteSession.WriteStatistics {
    /// Adds the traffic of another handle.
    package mutating func add(_ other: WriteSession.WriteStatistics) {
        syncs += other.syncs
        syncNanoseconds += other.syncNanoseconds
        bytes += other.bytes
    }
}
