/// The root array of a version: its tables and their names, the size of its space, its free lists,
/// its number and its history (storage format section 4). Only this type reads, writes and
/// recognises root arrays.
struct TopArray {
    /// The slots in order. A shorter array lacks the last ones.
    private enum Slot: Int {
        case names, tables, logicalSize
        case freePositions, freeLengths, freeVersions, version
        case historyType, history, historySchema, syncFileID
        case evacuation
    }

    let ref: Ref
    let names: Ref
    let tables: Ref
    /// End of the space that this version manages, in bytes.
    let logicalSize: UInt64
    let version: UInt64
    let freePositions: Ref
    let freeLengths: Ref
    let freeVersions: Ref
    let historyType: UInt64
    let history: Ref
    let historySchema: UInt64
    let syncFileID: UInt64
    /// State of an online compaction; none if the slot is a number or missing (storage format 4.6).
    let evacuation: Ref

    static let validSizes: Set<Int> = [3, 5, 7, 9, 10, 11, 12]
    /// History type of a file that is not synchronised.
    static let localHistory: UInt64 = 2

    /// Reads the root at `ref` of a file of `fileSize` mapped bytes (storage format 1.6, 11-13).
    init(_ space: NodeSpace, _ ref: Ref, fileSize: Int) throws(RealmError) {
        let node = try space.refNode(ref, slots: 3, "top array")
        guard Self.validSizes.contains(node.count) else {
            throw .corrupt("a top array of \(node.count) elements", at: ref)
        }
        guard let names = node.slot(Slot.names).child, let tables = node.slot(Slot.tables).child
        else {
            throw .corrupt("the top array names no tables", at: ref)
        }
        let size = node.slot(Slot.logicalSize)
        guard size.isTagged, size.value >= RawHeader.end, size.value <= UInt64(fileSize) else {
            throw .corrupt("the logical size exceeds the file (truncated)", at: ref)
        }
        self.ref = ref
        self.names = names
        self.tables = tables
        logicalSize = size.value

        func child(_ slot: Slot) -> Ref {
            slot.rawValue < node.count ? node.slot(slot).child ?? .none : .none
        }
        func number(_ slot: Slot) -> UInt64 {
            slot.rawValue < node.count && node.slot(slot).isTagged ? node.slot(slot).value : 0
        }
        freePositions = child(.freePositions)
        freeLengths = child(.freeLengths)
        freeVersions = child(.freeVersions)
        version = max(1, number(.version))
        historyType = number(.historyType)
        history = child(.history)
        historySchema = number(.historySchema)
        syncFileID = number(.syncFileID)
        evacuation = child(.evacuation)
    }

    /// Whether a node looks like a root array, judged by the kinds of its slots without opening
    /// them.
    static func isLike(_ node: NodeView) -> Bool {
        guard validSizes.contains(node.count), node.slot(Slot.names).child != nil,
            node.slot(Slot.tables).child != nil, node.slot(Slot.logicalSize).isTagged,
            node.slot(Slot.logicalSize).value >= RawHeader.end
        else { return false }
        guard node.count > Slot.freeVersions.rawValue else { return true }
        let lists = [Slot.freePositions, .freeLengths, .freeVersions]
        return lists.allSatisfy { !node.slot($0).isTagged } && node.slot(Slot.version).isTagged
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

        /// Returns the slots for a version whose space ends at `logicalSize`.
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

extension NodeView {
    fileprivate func slot<Name: RawRepresentable>(_ name: Name) -> NodeSlot
    where Name.RawValue == Int { slot(name.rawValue) }
}
