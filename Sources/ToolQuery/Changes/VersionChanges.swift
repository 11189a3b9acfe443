import RealmEngine
import ToolKit

/// Records of what changed between two versions of one file. Confined to its thread.
struct VersionChanges {
    let request: ChangeRequest
    let records: ChangeRecords

    /// What a predicate matches in a version, kept from one commit to the next.
    final class Matches {
        var version: UInt64 = 0
        var keys: Set<ObjectKey> = []
    }

    /// Writes the records that turn `old` into `new`.
    func append(
        from old: Snapshot, to new: Snapshot, _ matches: Matches? = nil
    ) throws(RealmError) {
        if !SchemaDifference(from: old.schema, to: new.schema, request.scope).steps.isEmpty {
            // What is stored where may be something else by now.
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

    /// The changes of one class that the request is about.
    private struct Part {
        let changes: TableChanges
        let deletions: [ObjectKey]
        let insertions: [ObjectKey]
        /// Objects that matched before and match now; nil without a predicate.
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

    /// With a predicate: objects that begin to match are inserted for whoever watches, those that
    /// cease to match are deleted.
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

    /// The objects that match in a version.
    static func keys(
        _ filter: QueryFilter, _ className: String, _ snapshot: Snapshot, _ request: ChangeRequest
    ) throws(RealmError) -> Set<ObjectKey> {
        guard snapshot.schema.table(named: className) != nil else { return [] }
        let table = try request.request.table(className, snapshot.schema)
        snapshot.beginWalk()
        return Set(try filter.plan(table, snapshot).rows(in: snapshot).keys)
    }

    /// Writes everything the request is about as inserted.
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
