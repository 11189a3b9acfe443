extension Instance {
    /// File traffic of this instance's synchronous transactions, for reports. The database's commit
    /// queue counts asynchronous transactions, because it writes for all instances of the database.
    package var writeStatistics: WriteSession.WriteStatistics {
        ownSession?.writeStatistics ?? WriteSession.WriteStatistics()
    }
}

extension WriteSession.WriteStatistics {
    /// Adds the file traffic of another write session.
    package mutating func add(_ other: WriteSession.WriteStatistics) {
        syncs += other.syncs
        syncNanoseconds += other.syncNanoseconds
        bytes += other.bytes
    }
}
