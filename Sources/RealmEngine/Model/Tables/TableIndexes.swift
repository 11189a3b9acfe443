/// The search indexes of a table, by leaf index.
///
/// An index is stored, open, or open with entries left from before the table was written out.
struct TableIndexes {
    /// Editors of the indexes in use.
    private(set) var editors: [Int: IndexEditor] = [:]
    /// Refs of the roots as last written.
    private(set) var roots: [Int: Ref] = [:]
    /// Entries that an index did not store yet when the table was written out in the middle of the
    /// transaction; its next editor takes them.
    private(set) var waiting: [Int: WaitingIntegers] = [:]

    init() {}

    init(_ info: TableInfo) { setRoots(info) }

    private mutating func setRoots(_ info: TableInfo) {
        for column in info.columns where !column.indexRoot.isNone {
            roots[column.leafIndex] = column.indexRoot
        }
    }

    /// Continues with the indexes as the file has them, and the entries that wait.
    mutating func resume(_ info: TableInfo) {
        for (leafIndex, editor) in editors { waiting[leafIndex] = editor.waiting }
        (editors, roots) = ([:], [:])
        setRoots(info)
    }

    func beginTransaction() { for editor in editors.values { editor.forgetPlaces() } }

    func root(_ leafIndex: Int) -> Ref { roots[leafIndex] ?? .none }

    /// Entries of an index that are not stored yet; nil where there cannot be any.
    func waiting(_ leafIndex: Int) -> WaitingIntegers? {
        editors[leafIndex]?.waiting ?? waiting[leafIndex]
    }

    mutating func open(_ editor: IndexEditor, _ leafIndex: Int) { editors[leafIndex] = editor }

    mutating func setRoot(_ root: Ref, _ leafIndex: Int) { roots[leafIndex] = root }

    /// All entries that waited belong to an editor.
    mutating func clearWaiting() { waiting = [:] }

    /// Removes an index and returns the ref of its root, nil if it has no nodes.
    mutating func remove(_ leafIndex: Int) -> Ref? {
        waiting[leafIndex] = nil
        let root = roots.removeValue(forKey: leafIndex)
        return editors.removeValue(forKey: leafIndex)?.root ?? root
    }
}
