import RealmEngine

extension ParsedCommand {
    /// How many threads to work with: those of `--threads`, or one per processor, as far as
    /// `--max-memory` allows.
    package var workers: Int {
        let wanted = threads == 0 ? Threads.processorCount : threads
        // A worker holds back up to two mebibytes and grows its buffer by doubling.
        let affordable = max(1, maxMemory / (4 << 20))
        return min(wanted, affordable)
    }
}
