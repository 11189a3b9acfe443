/// Search indexes of a table, by leaf index.
///
/// An index is stored, open, or open with changes that are pending since before a spill.
struct TableIndexes {
    /// Editors of the indexes in use.
    private(set) var editors: [Int: IndexEditor] = [:]
    /// Refs of the roots as last written.
    private(set) var roots: [Int: Ref] = [:]
    /// Changes of an index that were pending at a spill; the index's next editor takes them over.
    private(set) var waiting: [Int: PendingIntegers] = [:]

    init() {}

    init(_ info: TableInfo) { setRoots(info) }

    private mutating func setRoots(_ info: TableInfo) {
        for column in info.columns where !column.indexRoot.isNone {
            roots[column.leafIndex] = column.indexRoot
        }
    }

    /// Continues after a spill, with the pending changes.
    mutating func resume(_ info: TableInfo) {
        for (leafIndex, editor) in editors { waiting[leafIndex] = editor.waiting }
        (editors, roots) = ([:], [:])
        setRoots(info)
    }

    func beginTransaction() { for editor in editors.values { editor.discardCachedLocations() } }

    func root(_ leafIndex: Int) -> Ref { roots[leafIndex] ?? .none }

    /// Pending changes of an index; nil if there cannot be any.
    func waiting(_ leafIndex: Int) -> PendingIntegers? {
        editors[leafIndex]?.waiting ?? waiting[leafIndex]
    }

    mutating func open(_ editor: IndexEditor, _ leafIndex: Int) { editors[leafIndex] = editor }

    mutating func setRoot(_ root: Ref, _ leafIndex: Int) { roots[leafIndex] = root }

    /// Forgets pending changes, after editors took them all over.
    mutating func clearWaiting() { waiting = [:] }

    /// Removes an index and returns the ref of its root; nil if it has no nodes.
    mutating func remove(_ leafIndex: Int) -> Ref? {
        waiting[leafIndex] = nil
        let root = roots.removeValue(forKey: leafIndex)
        return editors.removeValue(forKey: leafIndex)?.root ?? root
    }
}
