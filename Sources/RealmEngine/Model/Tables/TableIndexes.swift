/// The search indexes of a table. The key is the indexed column's position in a cluster leaf (leaf
/// index).
///
/// An index is in one of three states: only stored; opened by an editor; or, after a spill, stored
/// with changes that are still pending.
struct TableIndexes {
    /// Editors of the open indexes.
    private(set) var editors: [Int: IndexEditor] = [:]
    /// Refs of the roots when the indexes were last written.
    private(set) var roots: [Int: Ref] = [:]
    /// Changes that were pending when the transaction was spilled. The next editor of the index
    /// gets them.
    private(set) var waiting: [Int: PendingIntegers] = [:]

    init() {}

    init(_ info: TableInfo) { setRoots(info) }

    private mutating func setRoots(_ info: TableInfo) {
        for column in info.columns where !column.indexRoot.isNone {
            roots[column.leafIndex] = column.indexRoot
        }
    }

    /// Continues after a spill: closes all editors and keeps their pending changes.
    mutating func resume(_ info: TableInfo) {
        for (leafIndex, editor) in editors { waiting[leafIndex] = editor.waiting }
        (editors, roots) = ([:], [:])
        setRoots(info)
    }

    func beginTransaction() { for editor in editors.values { editor.discardCachedLocations() } }

    func root(_ leafIndex: Int) -> Ref { roots[leafIndex] ?? .none }

    /// Pending changes of an index; nil if the transaction has not opened the index.
    func waiting(_ leafIndex: Int) -> PendingIntegers? {
        editors[leafIndex]?.waiting ?? waiting[leafIndex]
    }

    mutating func open(_ editor: IndexEditor, _ leafIndex: Int) { editors[leafIndex] = editor }

    mutating func setRoot(_ root: Ref, _ leafIndex: Int) { roots[leafIndex] = root }

    /// Removes the pending changes of all indexes, after each index's editor has taken them over.
    mutating func clearWaiting() { waiting = [:] }

    /// Removes the index of a column and its pending changes from the table's indexes. Returns the
    /// ref of the index's root, whose nodes the caller must free; nil if the index has no nodes.
    mutating func remove(_ leafIndex: Int) -> Ref? {
        waiting[leafIndex] = nil
        let root = roots.removeValue(forKey: leafIndex)
        return editors.removeValue(forKey: leafIndex)?.root ?? root
    }
}
