/// Whose the pins of a version are, as far as that can be known.
///
/// The lock file counts pins and does not say whose they are. Programs that use this engine announce
/// theirs in the reader table; what remains belongs to some other process that has the lock file open.
/// When there is only one, it is that one; when there are several, any of them may be it.
package struct PinAttribution: Sendable {
    package let version: UInt64
    /// What programs announced about the version, those that ended without a word included.
    package let announced: [ReaderRow]
    /// Processes that could hold a pin nobody announced, by their ids.
    package let candidates: [UInt32]
    /// Pins that no living process can hold; they go when the session ends. Nil where some processes
    /// could not be looked at.
    package let stale: Int?

    /// Processes that hold the version for certain, or could.
    package var processes: [UInt32] {
        Set(announced.filter { !$0.isStale }.map(\.process.pid) + candidates).sorted()
    }

    /// - Parameters:
    ///   - rows: the reader table.
    ///   - openers: processes that have the database open; who came too late for the version left out.
    package init(
        _ version: Inspection.LiveVersion, _ rows: [ReaderRow], _ openers: FileHolders.Listing
    ) {
        self.init(
            version, rows.filter { $0.version == version.version }, Self.announcing(rows), openers)
    }

    /// Attributes the pins of several versions.
    ///
    /// - Parameters:
    ///   - rows: the reader table.
    ///   - openers: for a version, processes that have the database open; who came too late for it left
    ///     out.
    package static func all(
        _ versions: [Inspection.LiveVersion], _ rows: [ReaderRow],
        _ openers: (UInt64) -> FileHolders.Listing
    ) -> [PinAttribution] {
        let announced = Dictionary(grouping: rows, by: \.version)
        let announcing = announcing(rows)
        return versions.map {
            PinAttribution($0, announced[$0.version] ?? [], announcing, openers($0.version))
        }
    }

    private static func announcing(_ rows: [ReaderRow]) -> Set<ProcessIdentity> {
        Set(rows.lazy.filter { !$0.isStale }.map(\.process))
    }

    /// - Parameters:
    ///   - announced: the rows of the version.
    ///   - announcing: processes with rows of any version.
    private init(
        _ version: Inspection.LiveVersion, _ announced: [ReaderRow],
        _ announcing: Set<ProcessIdentity>, _ openers: FileHolders.Listing
    ) {
        self.version = version.version
        self.announced = announced
        // A process takes part once, and counts once for a version, however many rows it has.
        func holders(_ kind: ReaderRow.Kind, stale: Bool? = nil) -> Int {
            Set(
                announced.filter { $0.kind == kind && (stale == nil || $0.isStale == stale) }
                    .map(\.process)
            ).count
        }
        let kinds: [(kind: ReaderRow.Kind, count: Int)] = [
            (.live, version.live), (.frozen, version.frozen), (.full, version.full),
        ]
        let open = kinds.map { max(0, $0.count - holders($0.kind)) }
        let others = openers.openers.filter {
            $0.participants > 0 && !announcing.contains($0.process)
        }
        candidates = open.contains { $0 > 0 } ? others.map(\.process.pid) : []
        guard openers.isComplete else {
            stale = nil
            return
        }
        let possible = others.reduce(0) { $0 + $1.participants }
        stale = zip(kinds, open).reduce(0) { sum, one in
            let dead = min(one.0.count, holders(one.0.kind, stale: true))
            return sum + dead + max(0, one.1 - possible)
        }
    }
}
