/// What differs between two versions of a database: per table the objects inserted, deleted and
/// modified, and which properties of the latter have other values.
///
/// Found by comparing structure, so every participant's commits are seen and no log is needed:
/// versions share what did not change, and what they share is not looked at. The cost follows the
/// change, not the size of the database. Storing the value a property has already is no change here;
/// what observers are told counts it, by the change logs.
/// Free to cross threads.
public struct ChangeSet: Sendable {
    /// The versions compared.
    public let from: UInt64
    public let to: UInt64
    /// The tables in which something differs, in the order of the newer version, then removed ones.
    public private(set) var tables: [TableChanges]
    private var places: [TableKey: Int] = [:]

    public var isEmpty: Bool { tables.isEmpty }

    /// What differs in the table with `key`; nil when nothing does.
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

    /// Compares two versions of one database, `old` being the earlier one.
    ///
    /// Both snapshots must come from the same open file, so that what they share can be told from
    /// where it lies. Throws `corrupt`.
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

/// What differs in one table.
public struct TableChanges: Sendable {
    /// The table in either version; nil where it does not exist.
    public let old: TableInfo?
    public let new: TableInfo?
    /// Keys of the objects that only the newer version has, ascending.
    public internal(set) var insertions: [ObjectKey] = []
    /// Keys of the objects that only the older version has, ascending.
    public internal(set) var deletions: [ObjectKey] = []
    /// Keys of the objects of both versions that differ, ascending.
    public internal(set) var modifications: [ObjectKey] = []
    /// One bit per property of the newer version, for each modified object.
    private var bits: [UInt64] = []
    private let wordCount: Int

    /// No differences yet.
    package init(old: TableInfo?, new: TableInfo?) {
        self.old = old
        self.new = new
        wordCount = ((new?.columns.count ?? 0) + 63) / 64
    }

    public var table: TableKey { (new ?? old)!.key }

    /// Nothing differs, and the table itself is neither new nor gone.
    public var isEmpty: Bool {
        insertions.isEmpty && deletions.isEmpty && modifications.isEmpty && old != nil && new != nil
    }

    /// Whether property `column`, an index into the newer version's columns, differs in the `i`-th
    /// modified object.
    func isChanged(_ i: Int, column: Int) -> Bool {
        bits[i * wordCount + column >> 6] >> UInt64(column & 63) & 1 != 0
    }

    /// The properties that differ in the `i`-th modified object, as indexes into the newer version's
    /// columns, ascending.
    public func changedColumns(_ i: Int) -> [Int] {
        (0..<(new?.columns.count ?? 0)).filter { isChanged(i, column: $0) }
    }

    /// Position of the object among `modifications`; nil when it is not modified.
    func modification(of key: ObjectKey) -> Int? {
        modifications.position(of: key)
    }
    public func isInserted(_ key: ObjectKey) -> Bool {
        insertions.position(of: key) != nil
    }
    public func isDeleted(_ key: ObjectKey) -> Bool {
        deletions.position(of: key) != nil
    }

    /// Appends a modified object, whose key is above all before.
    mutating func appendModification(_ key: ObjectKey, _ columns: [UInt64]) {
        modifications.append(key)
        bits.append(contentsOf: columns)
    }

    /// A property of an object of both versions.
    struct Mark {
        let object: ObjectKey
        let column: Int
    }

    /// Adds properties, ascending by object, to what is known to differ.
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

    /// Adds a property to what is known to differ in an object of both versions.
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
