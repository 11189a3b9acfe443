import RealmEngine

extension ParsedCommand {
    /// Number of threads to use: `--threads`, or one per processor. Fewer if `--max-memory` does
    /// not suffice for them.
    package var workers: Int {
        let wanted = threads == 0 ? Threads.processorCount : threads
        // A worker buffers up to two mebibytes, and its buffer grows by doubling.
        let affordable = max(1, maxMemory / (4 << 20))
        return min(wanted, affordable)
    }
}
