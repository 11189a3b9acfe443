/// One of the formats 20 to 23, which SDKs of 2020 to 2024 write: what files of it cannot hold, and
/// where they differ (object format section 10).
package struct DowngradeFormat: Sendable {
    let number: Int

    /// Nil for a number that is none of these.
    package init?(_ number: Int) {
        guard 20...23 ~= number else { return nil }
        self.number = number
    }

    /// Objects are found by the hash of their primary key, which is their object key.
    package var hashesPrimaryKeys: Bool { number < 22 }
    /// Mixed values, UUIDs, sets and dictionaries.
    var hasNewTypes: Bool { number > 20 }
    var hasAsymmetricTables: Bool { number > 21 }
    /// Dictionaries are cluster trees.
    var hasClusteredDictionaries: Bool { 21...22 ~= number }
    var hasFullTextIndexes: Bool { number > 22 }

    /// Whether programs that write the format keep up the index of a property; all others are left out,
    /// and made again where the file is opened by newer ones.
    func keepsIndex(of column: ColumnInfo, isPrimaryKey: Bool) -> Bool {
        if column.collection != nil { return false }
        if isPrimaryKey { return !hashesPrimaryKeys }
        return column.index != .fullText || hasFullTextIndexes
    }

    /// What files of this format cannot hold of the version that `snapshot` sees: a sentence about
    /// each class or property. Reads the mixed values, and nothing else of the objects.
    func losses(_ snapshot: Snapshot) throws(RealmError) -> [String] {
        var losses: [String] = []
        for info in snapshot.schema.tables {
            if info.kind == .asymmetric, !hasAsymmetricTables {
                losses.append("\(info.className) is a class of objects that are only sent")
                continue
            }
            for (i, column) in info.columns.enumerated() {
                var why = obstacle(column)
                if why == nil { why = try nested(snapshot, info, i) }
                if let why { losses.append("\(info.className).\(column.name) \(why)") }
            }
        }
        return losses
    }

    /// Throws `incompatible`, naming what would be lost, unless files of this format can hold all of the
    /// version that `snapshot` sees.
    package func check(_ snapshot: Snapshot) throws(RealmError) {
        let losses = try losses(snapshot)
        if losses.isEmpty { return }
        throw RealmError(
            .incompatible, code: "IllegalOperation", reason: "lossy",
            "file format \(number) cannot hold all of it: " + losses.joined(separator: "; "))
    }

    private func obstacle(_ column: ColumnInfo) -> String? {
        if !hasNewTypes {
            switch column.type {
            case .mixed: return "holds mixed values"
            case .uuid: return "holds UUIDs"
            default: break
            }
            switch column.collection {
            case .set: return "is a set"
            case .dictionary: return "is a dictionary"
            case .list, nil: return nil
            }
        }
        let isKeyed = column.collection == .dictionary && column.hasIntegerKeys
        return isKeyed && hasClusteredDictionaries ? "is a dictionary with integer keys" : nil
    }

    /// Lists and dictionaries among mixed values.
    private func nested(
        _ snapshot: Snapshot, _ info: TableInfo, _ index: Int
    ) throws(RealmError) -> String? {
        guard info.columns[index].type == .mixed else { return nil }
        snapshot.beginWalk()
        let scan = snapshot.table(info).scan(columns: [index])
        var objects = 0
        while try scan.next() {
            for row in 0..<scan.count {
                let value = try scan.value(row: row, column: 0)
                if try holdsNested(snapshot, value, info.columns[index]) { objects += 1 }
            }
        }
        if objects == 0 { return nil }
        return "holds lists or dictionaries among its values, in \(objects) "
            + (objects == 1 ? "object" : "objects")
    }

    private func holdsNested(
        _ snapshot: Snapshot, _ value: Value, _ column: ColumnInfo
    ) throws(RealmError) -> Bool {
        guard column.collection != nil else { return Self.isCollection(value) }
        switch value {
        case .list(let view), .set(let view):
            var elements = snapshot.elements(of: view, walking: true)
            while let element = try elements.next() {
                if Self.isCollection(element) { return true }
            }
        case .dictionary(let view):
            var entries = try snapshot.entries(of: view, walking: true)
            while let entry = try entries.next() {
                if Self.isCollection(entry.value) { return true }
            }
        default: break
        }
        return false
    }

    private static func isCollection(_ value: Value) -> Bool {
        switch value {
        case .list, .set, .dictionary: true
        default: false
        }
    }
}
