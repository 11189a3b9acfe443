import RealmEngine
import RealmRecords
import ToolKit

/// Numbers of records and changes of a load.
struct LoadCounts {
    /// Number of records in the input, including skipped and rejected ones.
    var records = 0
    var inserted = 0
    var updated = 0
    var deleted = 0
    var unchanged = 0
    var rejected = 0
    /// Number of schema changes.
    var schema = 0

    mutating func add(_ outcome: ObjectWriter.Outcome) {
        switch outcome {
        case .inserted: inserted &+= 1
        case .updated: updated &+= 1
        case .deleted: deleted &+= 1
        case .unchanged: unchanged &+= 1
        }
    }

    var changes: Int { inserted + updated + deleted + schema }

    /// Resets the numbers of changes to the numbers at an earlier point of the load, because the
    /// records after that point are written again.
    mutating func restart(from other: LoadCounts) {
        inserted = other.inserted
        updated = other.updated
        deleted = other.deleted
        unchanged = other.unchanged
        schema = other.schema
    }

    /// Summary: `1395 inserted, 15 updated`.
    func text(rejects: String?) -> String {
        var parts: [String] = []
        if inserted > 0 { parts.append("\(inserted) inserted") }
        if updated > 0 { parts.append("\(updated) updated") }
        if deleted > 0 { parts.append("\(deleted) deleted") }
        if unchanged > 0 { parts.append("\(unchanged) unchanged") }
        if schema > 0 { parts.append("\(schema) schema \(schema == 1 ? "change" : "changes")") }
        if rejected > 0 {
            parts.append("\(rejected) rejected" + (rejects.map { " (\($0))" } ?? ""))
        }
        let noun = records == 1 ? "record" : "records"
        return "\(records) \(noun)" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }

    /// The numbers of records as JSON members of reports and acknowledgements.
    var members: JSONItem.Members {
        var members: JSONItem.Members = [
            ("records", .count(records)), ("inserted", .count(inserted)),
            ("updated", .count(updated)),
        ]
        if deleted > 0 { members.append(("deleted", .count(deleted))) }
        if unchanged > 0 { members.append(("unchanged", .count(unchanged))) }
        if schema > 0 { members.append(("schema", .count(schema))) }
        members.append(("rejected", .count(rejected)))
        return members
    }
}
