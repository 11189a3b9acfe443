/// The root node of a snapshot (storage format section 4).
struct TopArray {
    let ref: Ref
    let names: Ref
    let tables: Ref
    /// End of the space this snapshot manages, in bytes.
    let logicalSize: UInt64
    let version: UInt64
    let freePositions: Ref
    let freeLengths: Ref
    let freeVersions: Ref
    let historyType: UInt64
    let history: Ref
    let historySchema: UInt64
    let syncFileID: UInt64
    /// State of an online compaction; none when it is a number or absent (storage format 4.6).
    let evacuation: Ref

    static let validSizes: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

    /// Reads the root at `ref` of a file of `fileSize` mapped bytes (storage format 1.6, 11-13).
    init(_ space: NodeSpace, _ ref: Ref, fileSize: Int) throws(RealmError) {
        let node = try space.refNode(ref, slots: 3, "top array")
        guard Self.validSizes.contains(node.count) else {
            throw .corrupt("a top array of \(node.count) elements", at: ref)
        }
        guard let names = node.slot(0).child, let tables = node.slot(1).child else {
            throw .corrupt("the top array names no tables", at: ref)
        }
        let size = node.slot(2)
        guard size.isTagged, size.value >= 24, size.value <= UInt64(fileSize) else {
            throw .corrupt("the logical size exceeds the file (truncated)", at: ref)
        }
        self.ref = ref
        self.names = names
        self.tables = tables
        logicalSize = size.value

        func child(_ i: Int) -> Ref { i < node.count ? node.slot(i).child ?? .none : .none }
        func number(_ i: Int) -> UInt64 {
            i < node.count && node.slot(i).isTagged ? node.slot(i).value : 0
        }
        freePositions = child(3)
        freeLengths = child(4)
        freeVersions = child(5)
        version = max(1, number(6))
        historyType = number(7)
        history = child(8)
        historySchema = number(9)
        syncFileID = number(10)
        evacuation = child(11)
    }
}
