import Glibc
import RealmEngine
import ToolKit

/// Compares two files, which need not have a common history. Writes the change records that convert
/// one file to the other.
///
/// Classes and properties are matched by name. Objects are matched by primary key; by object key in
/// a class without primary key. Values are compared by content, links by the keys of their targets,
/// embedded objects by their content. A class or property that only one file has becomes a schema
/// record. A new property is reported for the objects whose value differs from the default. Leaves
/// with equal bytes are skipped; all other data is read.
final class FileComparison {
    private let request: ChangeRequest
    private let records: ChangeRecords
    private let old: ChangeSide
    private let new: ChangeSide
    private let schema: SchemaDifference
    private let exactOld: ExactForm
    private let exactNew: ExactForm
    private var left = ByteBuffer()
    private var right = ByteBuffer()
    private var progress: ProgressReporter?
    private var done = 0
    /// Objects in leaves that have the same bytes in both files. Such objects are equal and need
    /// not be compared.
    ///
    /// Nil if the schemas differ. Also nil if there is a predicate: an object that is equal in both
    /// files may match in one file only, because of objects to which it links.
    private let equal: EqualObjects?
    /// For each class name, the objects that exist in both files. Collected while the deletions are
    /// found, and used to find the insertions and updates.
    private var counterparts: [String: Counterparts] = [:]
    /// Number of objects that `counterparts` can still take within its memory limit.
    ///
    /// 0 with a predicate. An object that exists in both files, but matches in one file only, then
    /// counts as inserted or deleted, so `counterparts` is not used.
    private var room: Int

    init(_ records: ChangeRecords, from old: Snapshot, to new: Snapshot) {
        self.records = records
        request = records.request
        self.old = ChangeSide(old, request.request.values)
        self.new = ChangeSide(new, request.request.values)
        schema = SchemaDifference(from: old.schema, to: new.schema, request.scope)
        exactOld = ExactForm(old, replaced: schema.replaced)
        exactNew = ExactForm(new, replaced: [])
        let hasSameForm = schema.steps.isEmpty && request.request.filter == nil
        equal = hasSameForm ? EqualObjects(old, new) : nil
        room =
            request.request.filter == nil
            ? request.request.command.maxMemory / 4 / Counterparts.elementSize : 0
    }

    /// A class by its name: the class in each of the two files, nil in a file without the class.
    private struct Pair {
        let old: TableInfo?
        let new: TableInfo?
        var name: String { (new ?? old)!.className }
        /// Whether an object of one file may correspond to an object of the other file. False if
        /// the class was removed and created again.
        let isComparable: Bool
    }

    func run() throws(RealmError) {
        let pairs = try pairs()
        progress = ProgressReporter(
            request.request.command, file: request.request.path, total: try count(pairs),
            unit: .objects)
        defer { progress?.finish() }
        for pair in pairs { try deletions(pair) }
        for step in schema.steps {
            try records.schema(step, version: new.snapshot.version)
        }
        for pair in pairs { try insertionsAndUpdates(pair) }
    }

    /// Returns the number of objects to read, as the total of the progress display.
    private func count(_ pairs: [Pair]) throws(RealmError) -> Int {
        var total = 0
        for pair in pairs {
            if let table = pair.old { total += try old.snapshot.table(table).count() }
            if let table = pair.new { total += try new.snapshot.table(table).count() }
        }
        return total
    }

    private func pairs() throws(RealmError) -> [Pair] {
        try request.check([new.snapshot.schema, old.snapshot.schema])
        let (before, after) = (
            request.tables(old.snapshot.schema), request.tables(new.snapshot.schema)
        )
        let (old, new) = (Self.byName(before), Self.byName(after))
        let names = Set(old.keys).union(new.keys).ordered {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        return names.map { name in
            Pair(old: old[name], new: new[name], isComparable: !schema.replaced.contains(name))
        }
    }

    private static func byName(_ tables: [TableInfo]) -> [String: TableInfo] {
        Dictionary(tables.map { ($0.className, $0) }) { first, _ in first }
    }

    /// Returns the keys of the objects that match the predicate; nil if there is no predicate.
    private func wanted(
        _ table: TableInfo, _ side: ChangeSide
    ) throws(RealmError) -> Set<ObjectKey>? {
        guard let filter = request.request.filter else { return nil }
        return try VersionChanges.keys(filter, table.className, side.snapshot, request)
    }

    /// Calls `body` with the key of each object to compare. Objects in leaves that are equal in
    /// both files are left out.
    private func forEach(
        _ table: TableInfo, _ side: ChangeSide, _ wanted: Set<ObjectKey>?,
        _ body: (ObjectKey) throws(RealmError) -> Void
    ) throws(RealmError) {
        side.snapshot.beginWalk()
        let scan = side.snapshot.table(table).scan(columns: [])
        var same = equal?.cursor(table.className)
        while !records.isDecided, try scan.next() {
            defer {
                done += scan.count
                progress?.update(done)
            }
            if scan.count > 0,
                same?.contains(scan.key(0), scan.key(scan.count - 1)) == true
            {
                continue
            }
            for row in 0..<scan.count {
                let key = scan.key(row)
                if wanted?.contains(key) ?? true { try body(key) }
            }
        }
    }

    private func deletions(_ pair: Pair) throws(RealmError) {
        guard let table = pair.old else { return }
        let wantedNew = try pair.new.flatMap { (info) throws(RealmError) in
            try self.wanted(info, self.new)
        }
        let isKept = try old.snapshot.table(table).count() <= room
        var kept = Counterparts()
        try forEach(table, old, try wanted(table, old)) { (key) throws(RealmError) in
            let found = try counterpart(of: key, table, old, pair.new, new, pair)
            if let found, wantedNew?.contains(found) ?? true {
                if isKept { kept.append(old: key, new: found) }
                return
            }
            try records.delete(key, table, old, version: new.snapshot.version)
        }
        guard isKept else { return }
        room -= kept.count
        kept.sort()
        counterparts[pair.name] = kept
    }

    private func insertionsAndUpdates(_ pair: Pair) throws(RealmError) {
        guard let table = pair.new else { return }
        let wantedOld = try pair.old.flatMap { (info) throws(RealmError) in
            try self.wanted(info, self.old)
        }
        let partners = table.columns.map { column in
            schema.isNew(column.name, of: table.className)
                ? nil : pair.old?.columnIndex(named: column.name)
        }
        var kept = counterparts.removeValue(forKey: pair.name)
        try forEach(table, new, try wanted(table, new)) { (key) throws(RealmError) in
            let other =
                kept == nil
                ? try counterpart(of: key, table, new, pair.old, old, pair) : kept?.old(of: key)
            guard let was = pair.old, let found = other, wantedOld?.contains(found) ?? true else {
                return try records.insert(key, table, new, version: new.snapshot.version)
            }
            let changed = try changes(key, table, found, was, partners)
            if changed.isEmpty { return }
            try records.update(key, table, changed, new, before: (found, was, old))
        }
    }

    /// Returns the key of the corresponding object in the other file; nil if there is none.
    private func counterpart(
        of key: ObjectKey, _ table: TableInfo, _ side: ChangeSide, _ other: TableInfo?,
        _ otherSide: ChangeSide, _ pair: Pair
    ) throws(RealmError) -> ObjectKey? {
        guard let other, pair.isComparable else { return nil }
        let target = otherSide.snapshot.table(other)
        guard let primaryKey = try side.renderer.targets[table.key].primaryKey(key) else {
            return try target.row(key) == nil ? nil : key
        }
        return try target.find(primaryKey: primaryKey)
    }

    /// Returns the columns of `table` in which the objects of both files differ.
    ///
    /// - Parameter partners: for each column, the column of `other` with the same name; nil if
    ///   there is none.
    private func changes(
        _ key: ObjectKey, _ table: TableInfo, _ otherKey: ObjectKey, _ other: TableInfo,
        _ partners: [Int?]
    ) throws(RealmError) -> [Int] {
        var changed: [Int] = []
        try exactNew.read(key, of: table) { (scan, row) throws(RealmError) in
            try exactOld.read(otherKey, of: other) { (otherScan, otherRow) throws(RealmError) in
                for column in partners.indices {
                    let value = try scan.value(row: row, column: column)
                    let differs =
                        if let partner = partners[column] {
                            try self.differs(
                                try otherScan.value(row: otherRow, column: partner), exactOld, value
                            )
                        } else {
                            try self.differs(table.columns[column].defaultValue, exactNew, value)
                        }
                    if differs { changed.append(column) }
                }
            }
        }
        return changed
    }

    private func differs(
        _ before: Value, _ form: ExactForm, _ value: Value
    ) throws(RealmError) -> Bool {
        if let areEqual = ExactForm.areEqual(before, value) { return !areEqual }
        left.removeAll()
        right.removeAll()
        try form.append(before, to: &left)
        try exactNew.append(value, to: &right)
        // Canonical bytes are never empty, so the buffers have addresses.
        return left.count != right.count
            || memcmp(left.bytes.baseAddress!, right.bytes.baseAddress!, left.count) != 0
    }
}
