/// Where each thread reads the frozen versions it shares with others.
///
/// Opening a node counts work, which threads must not do at one place: each has counters of its own,
/// for the versions it read last, so that reading what all of them share writes nothing that another
/// thread looks at.
enum FrozenSpaces {
    private struct Entry {
        /// Of the version; numbers are not used twice.
        var number: UInt64 = 0
        var memory: Unmanaged<ReadContext>?
        var space: NodeSpace?
    }

    /// Versions a thread reads in turns without beginning anew.
    private static let count = 4

    private static let own = ThreadPointer { $0.map { FrozenSpaces.free($0) } }

    private static func free(_ memory: UnsafeMutableRawPointer) {
        let entries = memory.assumingMemoryBound(to: Entry.self)
        for i in 0..<count { entries[i].memory?.release() }
        entries.deallocate()
    }

    /// Reads `version`, which the caller keeps, on the calling thread. Values in several parts that
    /// were read through it last until the thread has read four other versions.
    static func space(of version: FrozenVersion) -> NodeSpace {
        if let known = space(numbered: version.number) { return known }
        guard let known = own.value else { return begin(version) }
        return take(version, known.assumingMemoryBound(to: Entry.self))
    }

    /// The same for a version that the calling thread reads already; nil when it does not. By its
    /// number, so that no references are counted.
    @inline(__always)
    static func space(numbered number: UInt64) -> NodeSpace? {
        guard let known = own.value else { return nil }
        let entries = known.assumingMemoryBound(to: Entry.self)
        for i in 0..<count where entries[i].number == number { return entries[i].space }
        return nil
    }

    private static func begin(_ version: FrozenVersion) -> NodeSpace {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(), count: count)
        own.value = UnsafeMutableRawPointer(entries)
        return take(version, entries)
    }

    /// The newest comes first, the oldest goes.
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
