/// One of the formats 20 to 23, which SDKs of 2020 to 2024 write. Determines which content its
/// files cannot store, and how their encoding differs from the current format (object format
/// section 10).
package struct DowngradeFormat: Sendable {
    let number: Int

    /// Nil if `number` is not in 20...23.
    package init?(_ number: Int) {
        guard 20...23 ~= number else { return nil }
        self.number = number
    }

    /// Whether object keys are hashes of primary keys, so that objects are found without an index.
    package var hashesPrimaryKeys: Bool { number < 22 }
    /// Whether the format has mixed values, UUIDs, sets and dictionaries.
    var hasNewTypes: Bool { number > 20 }
    var hasAsymmetricTables: Bool { number > 21 }
    /// Whether the format stores dictionaries as cluster trees.
    var hasClusteredDictionaries: Bool { 21...22 ~= number }
    var hasFullTextIndexes: Bool { number > 22 }

    /// Whether engines of the format update the index of a property. Other indexes are omitted, and
    /// are rebuilt when a newer engine opens the file.
    func keepsIndex(of column: ColumnInfo, isPrimaryKey: Bool) -> Bool {
        if column.collection != nil { return false }
        if isPrimaryKey { return !hashesPrimaryKeys }
        return column.index != .fullText || hasFullTextIndexes
    }

    /// Describes content of the version of `snapshot` that files of this format cannot store: one
    /// sentence per class or property. Reads the mixed values of objects, and no other values.
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

    /// Throws `incompatible` with a description of the content that would be lost, unless files of
    /// this format can store the whole version of `snapshot`.
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

    /// Describes lists and dictionaries nested in mixed values; nil if there are none.
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
