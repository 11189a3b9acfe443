/// Checks the file header, the root, and the header slot that is not selected (storage format 1 and
/// 4; 9.1, points 1 to 3, 8 and 18).
extension IntegrityCheck {
    private static let page = 4096

    /// Checks the header. Returns false if the rest of the file cannot be read.
    func checkHeader() -> Bool {
        report.facts.format = header.format
        if !FileFormat.isRead(header.format), !(header.format == 0 && topRef.isNone) {
            found(.header, Ref(0), "file format \(header.format) is unknown")
            return false
        }
        if fileSize & 7 != 0 {
            found(.header, Ref(0), "the file's size of \(fileSize) bytes is no multiple of 8")
        }
        // A file written in one pass keeps its size until a session opens it for writing. Old
        // writers made files of any size.
        if !isStreamed, !isLegacy, fileSize % Self.page != 0 {
            found(.fileSize, nil, "the file's size of \(fileSize) bytes is no multiple of a page")
        }
        return true
    }

    /// Whether the file was written in one pass and not modified since.
    var isStreamed: Bool { RawHeader(base).top0 == FileHeader.streamingMark }

    /// Opens the root of the version; nil if there is none or it is unusable.
    func openTop() -> TopArray? {
        report.facts.version = 1
        report.facts.logicalSize = UInt64(RawHeader.size)
        guard !topRef.isNone else {
            checkEmptySlot()
            return nil
        }
        let opened = reading(topRef, .topArray) { () throws(RealmError) in
            try TopArray(memory.lookup, topRef, fileSize: fileSize)
        }
        guard let opened else { return nil }
        top = opened
        limit = opened.logicalSize
        memory = ReadContext(mapping, limit: limit)
        memory.setKeyShift(keyShift)
        report.facts.version = opened.version
        report.facts.logicalSize = limit
        if limit & 7 != 0 {
            found(.topArray, topRef, "the logical size of \(limit) bytes is no multiple of 8")
            limit &= ~7
        }
        if topRef.raw >= limit { found(.topArray, topRef, "the root lies behind the logical size") }
        checkTopSlots(opened)
        checkOtherSlot(opened)
        return opened
    }

    /// Checks a selected header slot that is empty. A crash in the first commit may leave the
    /// selected slot empty and the other slot with a root. In a file written in one pass, the
    /// second slot is selected only after the root is stored in it, so this is an error there
    /// (storage format 1.3, 1.4).
    private func checkEmptySlot() {
        let raw = RawHeader(base)
        guard raw.selected == header.slot else { return }
        if isStreamed, raw.selected == 1 {
            found(
                .header, Ref(16), "the selected header slot names no root, but the other one does")
        } else if !isStreamed, let lost = LostHeader(mapping, raw, size: fileSize).finding {
            found(.staleSlot, Ref(16), lost.what)
        }
    }

    private func checkTopSlots(_ top: TopArray) {
        guard let node = try? memory.lookup.node(topRef) else { return }
        func slot(_ i: Int) -> NodeSlot { i < node.count ? node.slot(i) : NodeSlot(raw: 0) }
        // Three empty slots of free lists are valid: a writer then makes new lists. The space that
        // was free remains unused.
        let hasFreeLists = RootShape.freeLists.contains { !slot($0).isNone }
        for i in RootShape.freePositions..<max(RootShape.freePositions, node.count) {
            let slot = slot(i)
            switch i {
            case RootShape.freePositions, RootShape.freeLengths, RootShape.freeVersions:
                if slot.isTagged { found(.topArray, topRef, "slot \(i) holds a number") }
                if slot.isNone, hasFreeLists, node.count > RootShape.freeVersions, top.version > 1 {
                    found(.topArray, topRef, "slot \(i) of a committed root is empty")
                }
            case RootShape.version, RootShape.historyType, RootShape.historySchema,
                RootShape.syncFileID:
                if slot.child != nil { found(.topArray, topRef, "slot \(i) holds a reference") }
            case RootShape.history:
                if slot.isTagged { found(.topArray, topRef, "slot \(i) holds a number") }
            default: checkEvacuation(slot)
            }
        }
    }

    private func checkEvacuation(_ slot: NodeSlot) {
        guard let ref = slot.child else { return }
        let state = reading(ref, .evacuation) { () throws(RealmError) in
            try memory.lookup.integers(ref, "evacuation state")
        }
        if let state, state.count < 2 {
            found(.evacuation, ref, "a compaction state of \(state.count) numbers")
        }
    }

    /// Checks the header slot that is not selected. It contains 0 in a new file, and any earlier
    /// root after a commit that crashed. In a file written in one pass, it is empty until the first
    /// session stores the root in it (storage format 1.3).
    private func checkOtherSlot(_ top: TopArray) {
        let raw = RawHeader(base)
        if header.isStreaming, raw.top1 != 0 {
            found(
                .staleSlot, Ref(8),
                "the second header slot of a file written in one pass is not empty")
        }
        guard raw.hasMagic, raw.top(raw.selected) == topRef.raw, !header.isStreaming else { return }
        let other = raw.top(1 - raw.selected)
        if other == 0 || other == FileHeader.streamingMark { return }
        let whole = ReadContext(mapping, limit: UInt64(fileSize))
        let previous = try? TopArray(whole.lookup, Ref(other), fileSize: fileSize)
        guard let previous else {
            found(.staleSlot, Ref(other), "the other header slot leads to no root")
            return
        }
        // Versions of a group commit are flushed together, so version numbers of the two header
        // slots may differ by more than one.
        if previous.version >= top.version {
            found(
                .staleSlot, Ref(other),
                "the other header slot holds version \(previous.version) beside \(top.version)")
        }
    }
}
