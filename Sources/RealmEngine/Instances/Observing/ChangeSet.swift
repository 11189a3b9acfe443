/// Differences between two versions of a database: the inserted, deleted and modified objects of
/// each table, and the changed properties of modified objects.
///
/// The versions are compared by their trees. This needs no log and covers the commits of all
/// processes. Subtrees that both versions share are skipped, so the cost depends on the size of the
/// change, not of the database. An assignment of an equal value is no difference here;
/// notifications add such assignments from the change logs. Free to cross threads.
public struct ChangeSet: Sendable {
    /// Numbers of the older and the newer version.
    public let from: UInt64
    public let to: UInt64
    /// Tables with differences: first in the order of the newer version, then tables that were
    /// removed.
    public private(set) var tables: [TableChanges]
    private var places: [TableKey: Int] = [:]

    public var isEmpty: Bool { tables.isEmpty }

    /// Changes of the table with `key`; nil if there are none.
    public subscript(key: TableKey) -> TableChanges? {
        get { places[key].map { tables[$0] } }
        set {
            guard let newValue else { return }
            if let place = places[key] {
                tables[place] = newValue
            } else {
                places[key] = tables.count
                tables.append(newValue)
            }
        }
    }

    /// Compares two versions of one database; `old` is the earlier one.
    ///
    /// Both snapshots must be of the same open file, because equal refs identify shared nodes.
    /// Throws `corrupt`.
    public init(from old: Snapshot, to new: Snapshot) throws(RealmError) {
        precondition(
            old.lookup.base == new.lookup.base, "snapshots of different files cannot be compared")
        from = old.version
        to = new.version
        tables = []
        if old.state === new.state { return }
        old.beginWalk()
        new.beginWalk()
        for info in new.schema.tables {
            let before = old.schema.table(info.key)
            if let before, before.top == info.top { continue }
            var comparison = TableComparison(old: (old, before), new: (new, info))
            let changes = try comparison.run()
            if !changes.isEmpty { self[info.key] = changes }
        }
        for info in old.schema.tables where new.schema.table(info.key) == nil {
            var comparison = TableComparison(old: (old, info), new: (new, nil))
            self[info.key] = try comparison.run()
        }
    }
}

/// Differences of one table.
public struct TableChanges: Sendable {
    /// The table in the older and in the newer version; nil in a version without it.
    public let old: TableInfo?
    public let new: TableInfo?
    /// Keys of the objects that only the newer version has, ascending.
    public internal(set) var insertions: [ObjectKey] = []
    /// Keys of the objects that only the older version has, ascending.
    public internal(set) var deletions: [ObjectKey] = []
    /// Keys of the objects of both versions that differ, ascending.
    public internal(set) var modifications: [ObjectKey] = []
    /// For each modified object, one bit per property of the newer version: 1 if the property
    /// differs.
    private var bits: [UInt64] = []
    private let wordCount: Int

    /// Makes an empty description of the changes of a table; the caller then adds changes.
    package init(old: TableInfo?, new: TableInfo?) {
        self.old = old
        self.new = new
        wordCount = ((new?.columns.count ?? 0) + 63) / 64
    }

    public var table: TableKey { (new ?? old)!.key }

    /// Whether the table exists in both versions and no object differs.
    public var isEmpty: Bool {
        insertions.isEmpty && deletions.isEmpty && modifications.isEmpty && old != nil && new != nil
    }

    /// Whether a property differs in the modified object at index `i`. `column` is the property's
    /// index in the newer version.
    func isChanged(_ i: Int, column: Int) -> Bool {
        bits[i * wordCount + column >> 6] >> UInt64(column & 63) & 1 != 0
    }

    /// Properties that differ in the modified object at index `i`, as ascending indexes into the
    /// newer version's columns.
    public func changedColumns(_ i: Int) -> [Int] {
        (0..<(new?.columns.count ?? 0)).filter { isChanged(i, column: $0) }
    }

    /// Index of the object in `modifications`; nil if the object is not in it.
    func modification(of key: ObjectKey) -> Int? {
        modifications.position(of: key)
    }
    public func isInserted(_ key: ObjectKey) -> Bool {
        insertions.position(of: key) != nil
    }
    public func isDeleted(_ key: ObjectKey) -> Bool {
        deletions.position(of: key) != nil
    }

    /// Appends a modified object, whose key must be greater than all previous ones.
    mutating func appendModification(_ key: ObjectKey, _ columns: [UInt64]) {
        modifications.append(key)
        bits.append(contentsOf: columns)
    }

    /// A property to mark as changed, of an object that exists in both versions.
    struct Mark {
        let object: ObjectKey
        let column: Int
    }

    /// Marks properties as changed. `marks` must be in ascending order of objects.
    mutating func merge(_ marks: [Mark]) {
        if marks.isEmpty { return }
        var merged = TableChanges(old: old, new: new)
        (merged.insertions, merged.deletions) = (insertions, deletions)
        var (i, j) = (0, 0)
        while i < modifications.count || j < marks.count {
            let isKnown =
                j == marks.count || i < modifications.count && modifications[i] <= marks[j].object
            let key = isKnown ? modifications[i] : marks[j].object
            var words = Array(repeating: UInt64(0), count: wordCount)
            if isKnown {
                words = Array(bits[i * wordCount..<(i + 1) * wordCount])
                i += 1
            }
            while j < marks.count, marks[j].object == key {
                words[marks[j].column >> 6] |= 1 << UInt64(marks[j].column & 63)
                j += 1
            }
            merged.appendModification(key, words)
        }
        self = merged
    }

    /// Marks a property of an object as changed, unless the object was inserted.
    mutating func markModified(_ key: ObjectKey, column: Int) {
        if isInserted(key) { return }
        let place = modifications.place(of: key)
        if place == modifications.count || modifications[place] != key {
            modifications.insert(key, at: place)
            bits.insert(contentsOf: repeatElement(0, count: wordCount), at: place * wordCount)
        }
        bits[place * wordCount + column >> 6] |= 1 << UInt64(column & 63)
    }
}
