/// Detects a header that selects no root although the file contains nodes. In an empty database the
/// header selects no root either, but there are no nodes.
///
/// Other engines take a file without a selected root for an empty database, and overwrite its
/// content. Their in-memory databases and interrupted first commits leave files with nodes but no
/// selected root. A file that this engine created always has a root (`FirstVersion`). So if its
/// header selects none, the header was damaged.
struct LostHeader {
    private let mapping: Mapping
    private let raw: RawHeader
    private let size: Int

    /// - Parameter size: number of mapped bytes of the database.
    init(_ mapping: Mapping, _ raw: RawHeader, size: Int) {
        (self.mapping, self.raw, self.size) = (mapping, raw, size)
    }

    /// Reports a header that selects no root although the file has one or contains nodes: a code
    /// for the kind of loss and its description. Nil if a root is selected or the file contains no
    /// nodes.
    var finding: (reason: String, what: String)? {
        guard raw.hasMagic, raw.top(raw.selected) == 0 else { return nil }
        let other = raw.top(raw.selected ^ 1)
        if other != 0, other != FileHeader.streamingMark {
            let version = version(at: Ref(other)).map { "version \($0)" } ?? "a root"
            return (
                "lost-header",
                "the selected header slot names no root, but the other one names \(version): "
                    + "a damaged header, or a first commit that was interrupted"
            )
        }
        guard let node = firstNode() else { return nil }
        return (
            "lost-header",
            "the header names no root, but there are nodes from offset \(node) on: "
                + "left over from a database in memory, or a lost header"
        )
    }

    /// Throws `corrupt` unless the file is an empty database or has a root.
    func check() throws(RealmError) {
        guard let finding else { return }
        let isPrevious = raw.top(raw.selected ^ 1) != 0
        throw RealmError(
            .corrupt, code: "InvalidDatabase", reason: finding.reason, finding.what,
            hint: isPrevious
                ? "copy that version to a new file, or delete this one if it has no use"
                : "rescue what it holds into a new file, or delete this one if it has no use")
    }

    private func version(at root: Ref) -> UInt64? {
        let memory = ReadContext(mapping, limit: UInt64(size))
        defer { withExtendedLifetime(memory) {} }
        return try? TopArray(memory.lookup, root, fileSize: size).version
    }

    /// Offset of the first node that is completely inside the file; nil if there is none.
    private func firstNode() -> Int? {
        let page = EncryptedLayout.page
        var offset = RawHeader.size
        while offset + NodeView.headerSize <= size {
            let end = min(offset / page * page + page, size & ~7)
            if (try? mapping.prepare(offset, end - offset)) != nil {
                for at in stride(from: offset, to: end, by: 8) where isNode(at) { return at }
            }
            offset = end
            if end == size & ~7 { break }
        }
        return nil
    }

    private func isNode(_ offset: Int) -> Bool {
        let header = mapping.base.load(fromByteOffset: offset, as: UInt64.self)
        guard UInt32(truncatingIfNeeded: header) == 0x4141_4141 else { return false }
        let count = Int((header >> 40).byteSwapped >> 40)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        return NodeView.payloadSize(flags: flags, count: count)
            <= size - offset - NodeView.headerSize
    }
}
