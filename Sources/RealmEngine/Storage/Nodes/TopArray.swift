/// The root array of a version. It contains the refs of the tables, of their names, of the free
/// lists and of the history, the size of the version and its number (storage format section 4).
/// Only this type reads, writes and recognises root arrays.
struct TopArray {
    let ref: Ref
    let names: Ref
    let tables: Ref
    /// End of the bytes that belong to this version, used or free.
    let logicalSize: UInt64
    let version: UInt64
    let freePositions: Ref
    let freeLengths: Ref
    let freeVersions: Ref
    let historyType: UInt64
    let history: Ref
    let historySchema: UInt64
    let syncFileID: UInt64
    /// Ref of the state of an online compaction. `Ref.none` if the slot contains a number or is
    /// missing (storage format 4.6).
    let evacuation: Ref

    /// History type of a file that is not synchronised with a server.
    static let localHistory: UInt64 = 2

    /// Reads the root at `ref` of a file of `fileSize` mapped bytes (storage format 1.6, 11-13).
    init(_ space: NodeSpace, _ ref: Ref, fileSize: Int) throws(RealmError) {
        let node = try space.refNode(ref, slots: RootShape.minimumCount, "top array")
        guard RootShape.validCounts.contains(node.count) else {
            throw .corrupt("a top array of \(node.count) elements", at: ref)
        }
        guard let names = node.slot(RootShape.names).child,
            let tables = node.slot(RootShape.tables).child
        else {
            throw .corrupt("the top array names no tables", at: ref)
        }
        let size = node.slot(RootShape.logicalSize)
        guard size.isTagged, size.value >= RawHeader.end, size.value <= UInt64(fileSize) else {
            throw .corrupt("the logical size exceeds the file (truncated)", at: ref)
        }
        self.ref = ref
        self.names = names
        self.tables = tables
        logicalSize = size.value

        func child(_ slot: Int) -> Ref {
            slot < node.count ? node.slot(slot).child ?? .none : .none
        }
        func number(_ slot: Int) -> UInt64 {
            slot < node.count && node.slot(slot).isTagged ? node.slot(slot).value : 0
        }
        freePositions = child(RootShape.freePositions)
        freeLengths = child(RootShape.freeLengths)
        freeVersions = child(RootShape.freeVersions)
        version = max(1, number(RootShape.version))
        historyType = number(RootShape.historyType)
        history = child(RootShape.history)
        historySchema = number(RootShape.historySchema)
        syncFileID = number(RootShape.syncFileID)
        evacuation = child(RootShape.evacuation)
    }

    /// Whether a node looks like a root array: its number of slots is valid, and refs and numbers
    /// are in the expected slots. Does not open other nodes.
    static func isLike(_ node: NodeView) -> Bool {
        guard RootShape.validCounts.contains(node.count), node.slot(RootShape.names).child != nil,
            node.slot(RootShape.tables).child != nil, node.slot(RootShape.logicalSize).isTagged,
            node.slot(RootShape.logicalSize).value >= RawHeader.end
        else { return false }
        guard node.count > RootShape.freeVersions else { return true }
        return RootShape.freeLists.allSatisfy { !node.slot($0).isTagged }
            && node.slot(RootShape.version).isTagged
    }

    /// The content of a root array to write.
    struct Content {
        struct History {
            var type: UInt64
            var ref: Ref
            var schema: UInt64
            var fileID: UInt64 = 0
        }

        let names: Ref
        let tables: Ref
        let version: UInt64
        /// Nil for a database that never had a history.
        var history: History?
        var freePositions = Ref.none
        var freeLengths = Ref.none
        var freeVersions = Ref.none

        init(names: Ref, tables: Ref, version: UInt64, history: History? = nil) {
            self.names = names
            self.tables = tables
            self.version = version
            self.history = history
        }

        /// Returns the slots of the root array for a version that ends at `logicalSize`.
        func slots(logicalSize: UInt64) -> [UInt64] {
            var slots = [
                names.raw, tables.raw, NodeEncoder.tag(logicalSize),
                freePositions.raw, freeLengths.raw, freeVersions.raw, NodeEncoder.tag(version),
            ]
            if let history {
                slots += [
                    NodeEncoder.tag(history.type), history.ref.raw,
                    NodeEncoder.tag(history.schema), NodeEncoder.tag(history.fileID),
                ]
            }
            return slots
        }
    }
}
