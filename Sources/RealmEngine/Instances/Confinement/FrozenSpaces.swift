/// Read contexts of frozen versions, one per thread and version.
///
/// Opening a node updates counters of a read context. Each thread has its own read contexts for the
/// versions it read last, so that threads reading the same version do not write to the same cache
/// lines.
enum FrozenSpaces {
    private struct Entry {
        /// Number of the frozen version, unique in the process; 0 for an unused entry.
        var number: UInt64 = 0
        var memory: Unmanaged<ReadContext>?
        var space: NodeSpace?
    }

    /// Number of versions whose read contexts a thread caches.
    private static let count = 4

    private static let threadSpaces = ThreadPointer { $0.map { FrozenSpaces.free($0) } }

    private static func free(_ memory: UnsafeMutableRawPointer) {
        let entries = memory.assumingMemoryBound(to: Entry.self)
        for i in 0..<count { entries[i].memory?.release() }
        entries.deallocate()
    }

    /// Returns access to the nodes of `version` for the calling thread. The caller must retain
    /// `version`.
    ///
    /// A long value, which the file stores in several blocks, is copied to memory when it is read.
    /// The copies made for `version` stay valid until the thread has read four other versions.
    static func space(of version: FrozenVersion) -> NodeSpace {
        if let known = space(numbered: version.number) { return known }
        guard let known = threadSpaces.value else { return begin(version) }
        return take(version, known.assumingMemoryBound(to: Entry.self))
    }

    /// Returns access to the nodes of a version that the calling thread has read recently; nil for
    /// other versions. Takes the version's number and not a reference, to avoid reference counting.
    @inline(__always)
    static func space(numbered number: UInt64) -> NodeSpace? {
        guard let known = threadSpaces.value else { return nil }
        let entries = known.assumingMemoryBound(to: Entry.self)
        for i in 0..<count where entries[i].number == number { return entries[i].space }
        return nil
    }

    private static func begin(_ version: FrozenVersion) -> NodeSpace {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(), count: count)
        threadSpaces.value = UnsafeMutableRawPointer(entries)
        return take(version, entries)
    }

    /// Inserts `version` as the first of the thread's cached entries and releases the last entry.
    private static func take(
        _ version: FrozenVersion, _ entries: UnsafeMutablePointer<Entry>
    ) -> NodeSpace {
        entries[count - 1].memory?.release()
        for i in (1..<count).reversed() { entries[i] = entries[i - 1] }
        let memory = version.makeMemory()
        entries[0] = Entry(
            number: version.number, memory: .passRetained(memory), space: memory.lookup)
        return memory.lookup
    }
}
