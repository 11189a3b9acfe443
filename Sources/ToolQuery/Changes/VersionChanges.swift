import RealmEngine
import ToolKit

/// Writes the change records between two versions of one file. Confined to its thread.
struct VersionChanges {
    let request: ChangeRequest
    let records: ChangeRecords

    /// Keys of the objects that match the predicate in the version `version`. Cached, because the
    /// changes after the next commit are relative to this version.
    final class Matches {
        var version: UInt64 = 0
        var keys: Set<ObjectKey> = []
    }

    /// Writes the change records that convert `old` to `new`.
    func append(
        from old: Snapshot, to new: Snapshot, _ matches: Matches? = nil
    ) throws(RealmError) {
        if !SchemaDifference(from: old.schema, to: new.schema, request.scope).steps.isEmpty {
            // After a schema change, columns and tables may be stored at other positions. The
            // versions are then compared like two files.
            return try FileComparison(records, from: old, to: new).run()
        }
        let changes = try ChangeSet(from: old, to: new).attributingEmbedded(in: new)
        if changes.isEmpty { return }
        let values = request.request.values
        let (before, after) = (ChangeSide(old, values), ChangeSide(new, values))
        let parts = try parts(changes, old, new, matches ?? Matches())
        for part in parts {
            guard let table = part.changes.old else { continue }
            for key in part.deletions {
                try records.delete(key, table, before, version: new.version)
            }
        }
        for part in parts {
            guard let table = part.changes.new else { continue }
            for key in part.insertions {
                try records.insert(key, table, after, version: new.version)
            }
        }
        for part in parts {
            guard let table = part.changes.new, let was = part.changes.old else { continue }
            for (i, key) in part.changes.modifications.enumerated() where part.isUpdate(key) {
                try records.update(
                    key, table, part.changes.changedColumns(i), after, before: (key, was, before))
            }
        }
    }

    /// The requested changes of one class.
    private struct Part {
        let changes: TableChanges
        let deletions: [ObjectKey]
        let insertions: [ObjectKey]
        /// Objects that match the predicate in both versions; nil if there is no predicate.
        let stayed: Set<ObjectKey>?

        func isUpdate(_ key: ObjectKey) -> Bool { stayed?.contains(key) ?? true }
    }

    private func parts(
        _ changes: ChangeSet, _ old: Snapshot, _ new: Snapshot, _ matches: Matches
    ) throws(RealmError) -> [Part] {
        if let filter = request.request.filter, let className = request.className {
            return try matched(filter, className, changes, old, new, matches)
        }
        let all = changes.tables.filter { table in
            let info = (table.new ?? table.old)!
            if let className = request.className { return info.className == className }
            let isShown = info.isClass || request.request.showsInternal
            return info.kind != .embedded && isShown
        }
        return all.ordered {
            ($0.new ?? $0.old)!.className.utf8.lexicographicallyPrecedes(
                ($1.new ?? $1.old)!.className.utf8)
        }.map {
            Part(changes: $0, deletions: $0.deletions, insertions: $0.insertions, stayed: nil)
        }
    }

    /// Returns the changes of objects that match a predicate. An object that matches only in the
    /// new version is an insertion, an object that matches only in the old version a deletion.
    private func matched(
        _ filter: QueryFilter, _ className: String, _ changes: ChangeSet, _ old: Snapshot,
        _ new: Snapshot, _ matches: Matches
    ) throws(RealmError) -> [Part] {
        let info = try request.request.table(className, new.schema)
        let before =
            matches.version == old.version
            ? matches.keys : try Self.keys(filter, className, old, request)
        let after = try Self.keys(filter, className, new, request)
        (matches.version, matches.keys) = (new.version, after)
        let was = old.schema.table(info.key)
        let table = changes[info.key] ?? TableChanges(old: was, new: info)
        return [
            Part(
                changes: table, deletions: before.subtracting(after).sorted(),
                insertions: after.subtracting(before).sorted(),
                stayed: before.intersection(after))
        ]
    }

    /// Returns the keys of the objects that match `filter` in the snapshot.
    static func keys(
        _ filter: QueryFilter, _ className: String, _ snapshot: Snapshot, _ request: ChangeRequest
    ) throws(RealmError) -> Set<ObjectKey> {
        guard snapshot.schema.table(named: className) != nil else { return [] }
        let table = try request.request.table(className, snapshot.schema)
        snapshot.beginWalk()
        return Set(try filter.plan(table, snapshot).rows(in: snapshot).keys)
    }

    /// Writes all requested objects of a version as insertions.
    func appendAll(_ snapshot: Snapshot) throws(RealmError) {
        let side = ChangeSide(snapshot, request.request.values)
        for table in request.tables(snapshot.schema) {
            if let filter = request.request.filter, let className = request.className {
                for key in try Self.keys(filter, className, snapshot, request).sorted() {
                    try records.insert(key, table, side, version: snapshot.version)
                }
                continue
            }
            snapshot.beginWalk()
            let scan = snapshot.table(table).scan(columns: [])
            while try scan.next() {
                for row in 0..<scan.count {
                    try records.insert(scan.key(row), table, side, version: snapshot.version)
                }
            }
        }
    }
}
