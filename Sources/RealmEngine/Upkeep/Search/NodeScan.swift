/// Searches a file for nodes, word by word. Every node begins with the same four bytes, at a
/// multiple of 8 (storage format 2.1).
struct NodeScan {
    private let mapping: Mapping
    private let limit: Int
    /// Whether only nodes with the signature are found. Nodes of formats 2 to 9 need not have it
    /// (legacy format 2.1).
    private let needsSignature: Bool
    /// Nodes whose bytes `run` skips; nil to visit all nodes.
    private let used: NodeClaims?

    /// First four bytes of a node.
    static let signature: UInt32 = 0x4141_4141
    /// Number of bytes after which `run` releases the pages that it read.
    private static let portion = 8 << 20

    init(
        _ mapping: Mapping, limit: UInt64, needsSignature: Bool = true,
        outside used: NodeClaims? = nil
    ) {
        self.mapping = mapping
        self.used = used
        self.needsSignature = needsSignature
        self.limit = Int(limit)
    }

    /// Calls `body` with the offset, flags and count of everything that has the form of a node and
    /// ends within the file. Skips blocks of an encrypted file that do not authenticate.
    func run(
        _ body: (Ref, _ flags: UInt8, _ count: Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        var start = RawHeader.size
        var released = 0
        // The caller reads the nodes that the scan finds again right after the scan.
        var releaser = used.map { _ in PageReleaser(mapping) }
        while let from = first(used: false, from: start, before: limit & ~7) {
            let page = min(limit & ~7, (from | (AddressSpace.pageSize - 1)) + 1)
            let end = first(used: true, from: from, before: page) ?? page
            if isReadable(from, end - from) { try scan(from, end, body) }
            if end - released >= Self.portion {
                if releaser == nil { mapping.releasePages() } else { releaser?.release() }
                released = end
            }
            start = end
        }
        if releaser == nil { mapping.releasePages() }
    }

    /// Returns the first offset from `start` to before `end` that belongs to a used node; or, if
    /// `isUsed` is false, that belongs to none. Nil if there is none.
    private func first(used isUsed: Bool, from start: Int, before end: Int) -> Int? {
        guard start < end else { return nil }
        guard let used else { return isUsed ? nil : start }
        return used.first(taken: isUsed, from: UInt64(start), before: UInt64(end)).map { Int($0) }
    }

    private func isReadable(_ start: Int, _ count: Int) -> Bool {
        do throws(RealmError) {
            try mapping.prepare(start, count)
            return true
        } catch { return false }
    }

    @inline(__always)
    private func scan(
        _ start: Int, _ end: Int,
        _ body: (Ref, _ flags: UInt8, _ count: Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        let base = mapping.base
        var at = start
        while at < end {
            let word = base.load(fromByteOffset: at, as: UInt64.self)
            if UInt32(truncatingIfNeeded: word) == Self.signature || !needsSignature {
                let flags = UInt8(truncatingIfNeeded: word >> 32)
                let count = Int((word >> 40).byteSwapped >> 40)
                let size = NodeView.payloadSize(flags: flags, count: count) &+ NodeView.headerSize
                if size <= limit &- at, NodeSpace.isKnownForm(flags) {
                    try body(Ref(UInt64(at)), flags, count)
                }
            }
            at &+= 8
        }
    }
}
