/// How much of a file is in use, as its free list tells: cheap, and exact unless space leaked.
extension Database {
    /// Size of the file as it was mapped.
    package var fileBytes: UInt64 { UInt64(file.fileSize) }

    /// Bytes of the newest version's nodes and of what leaked.
    package var liveBytes: UInt64 {
        let state = newest
        guard let top = state.top else { return UInt64(RawHeader.size) }
        let memory = ReadContext(file.mapping, limit: state.limit)
        let free = (try? FreeSpace.chunks(memory.lookup, top)) ?? []
        let total = free.reduce(0) { $0 &+ $1.count }
        withExtendedLifetime(memory) {}
        return state.limit > total ? state.limit - total : state.limit
    }

    /// Bytes that compacting the newest version would give back, leaks left aside.
    package var reclaimableBytes: UInt64 {
        let live = liveBytes
        return fileBytes > live ? fileBytes - live : 0
    }

    /// More than a compacted file takes: nodes with references can only grow in an odd case, by
    /// less than this.
    package var compactedLimit: UInt64 {
        let plain = liveBytes + liveBytes / 64 + 4096
        return isEncrypted ? UInt64(EncryptedLayout.fileSize(of: Int(plain))) : plain
    }
}
