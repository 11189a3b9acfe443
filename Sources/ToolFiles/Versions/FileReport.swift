import RealmEngine
import ToolKit

/// The data of a report about one file.
struct FileReport {
    let facts: FileFacts
    /// The header slots, with `--slots`; otherwise nil.
    let slots: [HeaderSlot]?
    /// Whether the report includes the growth of the file (`--growth`).
    let showsGrowth: Bool
    /// Byte order of UUIDs in the file; nil if the file contains none or cannot be opened.
    var uuidOrder: UUIDOrder? = nil
    /// Whether the file has UUIDs of both byte orders.
    var hasBothUUIDOrders = false

    init(_ path: String, _ request: VersionsRequest) throws(RealmError) {
        facts = try request.facts(path)
        slots = request.showsSlots ? try request.inspector(path).slots() : nil
        showsGrowth = request.showsGrowth
        if let database = try? Database(immutable: path, key: request.command.readKey()) {
            let survey = try? UUIDSurvey(database.snapshot())
            (uuidOrder, hasBothUUIDOrders) = (survey?.order, survey?.isMixed ?? false)
        }
    }

    init(_ facts: FileFacts) {
        self.facts = facts
        slots = nil
        showsGrowth = false
    }

    /// Groups pins that have the same process, thread, kind and label. Returns the oldest pin and
    /// the number of pins of each group.
    static func grouped(_ rows: [ReaderRow]) -> [(row: ReaderRow, count: Int)] {
        struct Kind: Hashable {
            let process: ProcessIdentity
            let thread: UInt32
            let kind: ReaderRow.Kind
            let label: String
        }
        var groups: [(row: ReaderRow, count: Int)] = []
        var indexes: [Kind: Int] = [:]
        for row in rows.ordered(by: { $0.since < $1.since }) {
            let kind = Kind(
                process: row.process, thread: row.thread, kind: row.kind, label: row.label)
            if let index = indexes[kind] {
                groups[index].count += 1
            } else {
                indexes[kind] = groups.count
                groups.append((row, 1))
            }
        }
        return groups
    }

    /// Versions that prevent space from being reused; the oldest is first.
    var pinning: [Inspection.LiveVersion] {
        facts.inspection.versions.filter { $0.releases != nil }.reversed()
    }
}
