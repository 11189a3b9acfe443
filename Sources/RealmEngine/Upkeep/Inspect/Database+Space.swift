/// Space in use, according to the free list. Fast to compute, and exact unless space was leaked.
extension Database {
    /// Size of the file when it was mapped.
    package var fileBytes: UInt64 { UInt64(file.fileSize) }

    /// Number of bytes of the newest version's nodes and of leaked space.
    package var liveBytes: UInt64 {
        let state = newest
        guard let top = state.top else { return UInt64(RawHeader.size) }
        let memory = ReadContext(file.mapping, limit: state.limit)
        let free = (try? FreeSpace.chunks(memory.lookup, top)) ?? []
        let total = free.reduce(0) { $0 &+ $1.count }
        withExtendedLifetime(memory) {}
        return state.limit > total ? state.limit - total : state.limit
    }

    /// Number of bytes that compacting the newest version would free, not counting leaks.
    package var reclaimableBytes: UInt64 {
        let live = liveBytes
        return fileBytes > live ? fileBytes - live : 0
    }

    /// Maximum size of a compacted file, in bytes. Nodes with references may grow in rare cases, by
    /// less than the margin that is added.
    package var compactedLimit: UInt64 {
        let plain = liveBytes + liveBytes / 64 + 4096
        return isEncrypted ? UInt64(EncryptedLayout.fileSize(of: Int(plain))) : plain
    }
}
