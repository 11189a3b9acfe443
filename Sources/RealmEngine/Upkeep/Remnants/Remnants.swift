/// Finds old objects: objects that the newest version of a database does not have, or has with
/// other values. Searches the previous version, versions that readers pin, and space that no
/// version uses.
///
/// Writes nothing. Confined to one thread.
package final class Remnants {
    private let search: RemnantSearch
    /// Database handles for reading: first the newest version, with access to the whole file; then
    /// the other readable versions.
    package let views: [Database]
    private let readers: [Snapshot]
    private let memory: SearchMemoryLimit
    private let threads: Int

    /// The classes in the order of their names, including removed ones. Each has all properties
    /// that it has or had.
    package let classes: [TableInfo]
    private let positions: [Int]
    private let findings: [String]
    /// Reasons why parts of the file were not searched. Reading objects may add reasons.
    package var notes: [String] {
        var notes = findings
        if search.isCutShort {
            notes.append(
                "more was found than the memory limit has room for, and some of it is left out")
        }
        if search.isExhausted {
            notes.append(
                "nodes overlap or are shared more often than in a sound file, and some values are "
                    + "left out")
        }
        return notes
    }
    /// Database handle whose `hasChanged` is true when bytes that were read may have been
    /// overwritten.
    package var view: Database { views[0] }
    /// Number of bytes that no readable version uses.
    package let unusedBytes: UInt64

    /// Searches the file of `database`.
    ///
    /// - Parameters:
    ///   - directory: directory for unlinked temporary files, which store data that exceeds the
    ///     memory limit.
    ///   - maxMemory: limit in bytes for the memory of found nodes and objects.
    ///   - threads: number of threads that compare objects.
    /// - Throws: `input` and `corrupt` if the file cannot be read at all.
    @_optimize(size)
    package init(
        _ database: Database, spillingInto directory: String, maxMemory: Int = 64 << 20,
        threads: Int = 1
    ) throws(RealmError) {
        self.threads = threads
        memory = SearchMemoryLimit(limit: maxMemory, spillingInto: directory)
        var sides = [RemnantSide(database, nil)]
        var notes: [String] = []
        if let previous = Self.previous(database, &notes) {
            sides.append(RemnantSide(previous, .previous))
        }
        for other in Self.kept(database)
        where !sides.contains(where: { $0.version == other.version }) {
            sides.append(RemnantSide(other, .version(other.version)))
        }
        let search = try RemnantSearch(sides, memory)
        self.search = search
        views = [try Self.wholeView(search)] + sides.dropFirst().map(\.database)
        readers = views.map { $0.snapshot() }
        let subjects = search.subjects
        let shown = subjects.indices.filter { subjects[$0].info.isClass }.ordered { a, b in
            subjects[a].info.className.utf8.lexicographicallyPrecedes(
                subjects[b].info.className.utf8)
        }
        positions = shown
        classes = shown.map { subjects[$0].shown }
        unusedBytes = search.unusedBytes
        if search.newest.hasLosses {
            notes.append(
                "parts of version \(database.version) cannot be read; their objects may be among the "
                    + "deleted ones")
        }
        if sides.contains(where: { $0.snapshot.state.legacy != nil }) {
            notes.append(
                "unused space of files of formats 2 to 9 is not searched: each property is stored "
                    + "alone there, and nothing proves which values were one object")
        }
        findings = notes
    }

    /// Returns the version in the header slot that is not selected; nil if it is not intact.
    private static func previous(_ database: Database, _ notes: inout [String]) -> Database? {
        if database.isBeforeNewest {
            notes.append(
                "the newest version cannot be opened; version \(database.version), the one before it, "
                    + "is compared with")
            return nil
        }
        do throws(RealmError) { return try database.at(.previous) } catch {
            if error.reason != "version-gone" {
                notes.append("the previous version is not read: \(error.message)")
            }
            return nil
        }
    }

    /// Returns the versions that readers pin, except the version of `database`.
    private static func kept(_ database: Database) -> [Database] {
        guard let session = database.session, let numbers = try? session.versionsInUse() else {
            return []
        }
        return numbers.reversed().compactMap { number in
            number == database.version ? nil : try? database.at(.number(number))
        }
    }

    /// Returns a handle on the newest version whose snapshots can read all bytes of the file, not
    /// only the nodes of that version. Its schema also contains the removed classes.
    private static func wholeView(_ search: RemnantSearch) throws(RealmError) -> Database {
        let newest = search.newest.database
        let state = search.newest.snapshot.state
        var tables = state.schema.tables
        for subject in search.subjects where subject.isOrphan {
            if !tables.contains(where: { $0.key.slot == subject.info.key.slot }) {
                tables.append(subject.info)
            }
        }
        tables.order { $0.key.slot < $1.key.slot }
        let limit = state.legacy == nil ? search.space.limit : state.limit
        let whole = VersionState(
            version: state.version, format: state.format, top: state.top, limit: limit,
            schema: Schema(tables: tables, version: state.schema.version), moment: state.moment,
            nodes: state.nodes, legacy: state.legacy)
        return try Database(newest, at: whole, pin: nil, raw: newest.raw)
    }

    // MARK: Objects

    /// Calls `body` with the old objects of a class until it returns false. They are sorted by
    /// object key; several old states of one object are sorted from newest to oldest.
    package func visit(
        _ position: Int, _ body: (Remnant) throws(RealmError) -> Bool
    ) throws(RealmError) {
        let number = positions[position]
        let subject = search.subjects[number]
        var objects = RemnantObjects(search, subject, readers)
        for (i, side) in search.sides.enumerated().dropFirst() {
            try add(side, i, subject, &objects)
        }
        try add(search.leaves.filter { $0.subject == number }, subject, &objects)
        try objects.visit { (entry) throws(RealmError) in
            try body(remnant(entry, objects, subject))
        }
    }

    /// Adds to `objects` the leaves of an older readable version that the newest version does not
    /// use.
    private func add(
        _ side: RemnantSide, _ view: Int, _ subject: RemnantSubject,
        _ objects: inout RemnantObjects
    ) throws(RealmError) {
        guard let info = side.snapshot.schema.table(subject.info.key), let source = side.source
        else { return }
        let used = Set((search.newest.leaves[info.key] ?? []).map(\.ref))
        let layout = subject.add(info)
        let faults = info.columns.map { _ in RemnantLeaf.Fault.none }
        let version = side.version
        let comparison = RemnantComparison(search, subject, views[view], threads: threads) {
            (found: ClusterWalk.Leaf, snapshot) in
            guard let leaf = RemnantSide.open(found.ref, base: found.base, in: snapshot) else {
                return nil
            }
            return RemnantPiece(
                leaf: leaf, layout: layout, view: view, source: source, faults: faults,
                isDoubtful: false, versions: version...version, hasKeys: true, isProven: true)
        }
        let leaves = (side.leaves[info.key] ?? []).filter { !used.contains($0.ref) }
        try comparison.visit(leaves) { (rows) throws(RealmError) in try objects.add(rows) }
    }

    /// Adds to `objects` the given leaves, which no readable version uses.
    private func add(
        _ leaves: [RemnantLeaf], _ subject: RemnantSubject, _ objects: inout RemnantObjects
    ) throws(RealmError) {
        let search = search
        let comparison = RemnantComparison(search, subject, views[0], threads: threads) {
            (found: RemnantLeaf, snapshot) in
            guard let leaf = RemnantSide.open(found.ref, base: found.base ?? 0, in: snapshot)
            else { return nil }
            return RemnantPiece(
                leaf: leaf, layout: subject.layouts[found.layout], view: 0,
                source: search.isListed(found.ref) ? .free : .unlisted, faults: found.faults,
                cells: found.cells, isDoubtful: found.isAmbiguous,
                versions: search.versions(of: found.ref),
                hasKeys: found.base != nil, hasUnknownColumns: found.hasUnknownColumns,
                unprovenColumns: found.unprovenColumns)
        }
        try comparison.visit(leaves) { (rows) throws(RealmError) in try objects.add(rows) }
    }

    private func remnant(
        _ entry: RemnantEntry, _ objects: RemnantObjects, _ subject: RemnantSubject
    ) -> Remnant {
        let piece = objects.pieces[Int(entry.piece)]
        let positions = piece.layout.positions
        let missing = objects.sets[Int(entry.missing)].map { positions[$0] }
        let columns = subject.shown.columns
        let absent = columns.indices.filter { !positions.contains($0) }
        return Remnant(
            key: entry.key == .none ? nil : entry.key, state: entry.state,
            certainty: entry.certainty, source: piece.source,
            changed: objects.sets[Int(entry.changed)].map { columns[$0].name },
            missing: missing.map { columns[$0].name }, copies: Int(entry.copies),
            versions: entry.certainty == .doubtful ? nil : piece.versions,
            offset: readers[piece.view].state.legacy == nil ? piece.leaf.ref.raw : nil,
            leaf: piece.leaf.ref.raw, row: Int(entry.row),
            view: piece.view, slice: LeafSlice(piece.leaf), emptyColumns: absent + missing)
    }

    /// Whether the newest version does not have the class at `position`.
    package func hasNoClass(_ position: Int) -> Bool {
        search.subjects[positions[position]].isOrphan
    }
}

extension RemnantSide {
    var version: UInt64 { database.version }
}
