/// The processes that hold the pins of a version, as far as this can be determined.
///
/// The lock file counts pins but does not store their owners. Programs that use this engine record
/// their pins in the reader table. A pin without a row belongs to another process that has the lock
/// file open. If there are several such processes, it may belong to any of them.
package struct PinAttribution: Sendable {
    package let version: UInt64
    /// Rows of the reader table for this version. A row records one pin of a process; the process
    /// may have crashed.
    package let announced: [ReaderRow]
    /// Ids of the processes that may own the pins without a row in the reader table.
    package let candidates: [UInt32]
    /// Number of pins that belong to no living process. They remain until the end of the session.
    /// Nil if some processes could not be examined.
    package let stale: Int?

    /// Ids of the processes that pin the version or may do so.
    package var processes: [UInt32] {
        Set(announced.filter { !$0.isStale }.map(\.process.pid) + candidates).sorted()
    }

    /// - Parameters:
    ///     - rows: the reader table.
    ///     - openers: processes that have the database open. Excludes processes that opened it when
    ///       this version was no longer the newest.
    package init(
        _ version: Inspection.LiveVersion, _ rows: [ReaderRow], _ openers: FileHolders.Listing
    ) {
        self.init(
            version, rows.filter { $0.version == version.version }, Self.announcing(rows), openers)
    }

    /// Determines the owners of the pins of several versions.
    ///
    /// - Parameters:
    ///     - rows: the reader table.
    ///     - openers: returns, for a version, the processes that have the database open, without
    ///       processes that opened it too late to pin the version.
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
    ///     - announced: the rows of the reader table for the version.
    ///     - announcing: the processes that have rows for any version.
    private init(
        _ version: Inspection.LiveVersion, _ announced: [ReaderRow],
        _ announcing: Set<ProcessIdentity>, _ openers: FileHolders.Listing
    ) {
        self.version = version.version
        self.announced = announced
        // A process is one participant. It counts once per version, however many rows of the reader
        // table it has.
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
