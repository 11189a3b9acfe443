/// A database that cannot be opened normally: its root and the tables that are readable.
final class DamagedFile {
    let memory: ReadContext
    let format: Int
    let schema: Schema
    /// Losses that are known before any object is read.
    let losses: [SalvageLoss]
    /// The root of the salvaged version; nil if it is unknown.
    let top: TopArray?
    /// Classes whose stored names could not be used, and that received a replacement name.
    let renamedClasses: [String]
    /// Number of the salvaged version; 0 if it is unknown.
    let version: UInt64
    /// Reason why the version that the header selects is unusable; nil if that version is the one
    /// that is read.
    let newestVersionError: RealmError?
    /// Number of errors that an integrity check finds in the version selected by the header.
    let errorCount: Int
    /// Detects overwritten nodes: an intact node is followed by another node, by free space or by
    /// the end of the file. Nil if nothing is damaged.
    let neighbourhood: OverwriteDetector?
    let searchMemory: SearchMemoryLimit
    private let file: MappedFile
    private let keepAlive: Snapshot?
    /// Leaves found in the file, by table; nil if the tables' own trees are intact.
    private var leaves: [TableKey: FoundLeaves]?

    /// Opens the file at `path` at the root selected by the header, or at the other root if the
    /// first is unusable. If a check finds errors or neither root is usable, the file is searched.
    ///
    /// - Throws: the error of the selected root if nothing is found, `incompatible` for formats
    ///   that are not read.
    convenience init(
        path: String, _ key: EncryptionKey?, _ memory: SearchMemoryLimit
    ) throws(RealmError) {
        let file = try MappedFile(path: path, key.map { .salvaging($0) } ?? .none)
        let errors = (try? IntegrityCheck.run(file).errorCount) ?? 1
        self.init(file, try Self.content(file, memory, errors: errors), memory, errors: errors)
    }

    private init(
        _ file: MappedFile, _ content: Content, _ searchMemory: SearchMemoryLimit, errors: Int
    ) {
        (self.file, self.searchMemory) = (file, searchMemory)
        keepAlive = nil
        memory = content.memory
        (format, version) = (content.format, content.version)
        (schema, losses, top) = (content.schema, content.losses, content.top)
        (renamedClasses, newestVersionError) = (content.renamedClasses, content.newestVersionError)
        (neighbourhood, leaves, errorCount) = (content.neighbourhood, content.leaves, errors)
    }

    private struct Content {
        let memory: ReadContext
        var format = FileFormat.current
        var version: UInt64 = 1
        var schema = Schema(tables: [], version: nil)
        var top: TopArray?
        var losses: [SalvageLoss] = []
        var renamedClasses: [String] = []
        var newestVersionError: RealmError?
        var neighbourhood: OverwriteDetector?
        var leaves: [TableKey: FoundLeaves]?
    }

    private static func content(
        _ file: MappedFile, _ memory: SearchMemoryLimit, errors: Int
    ) throws(RealmError) -> Content {
        let root: Root
        do throws(RealmError) { root = try namedRoot(file) } catch {
            return try searched(file, memory, nil, error)
        }
        guard root.isLegacy || root.isEmpty || errors == 0 else {
            return try searched(file, memory, root, root.newestVersionError)
        }
        var content = try read(file, root)
        (content.format, content.version) = (root.format, root.version)
        content.newestVersionError = root.newestVersionError
        if errors > 0 { content.leaves = [:] }
        return content
    }

    /// Combines the content found by a search with the content reachable from `root`.
    private static func searched(
        _ file: MappedFile, _ memory: SearchMemoryLimit, _ root: Root?, _ why: RealmError?
    ) throws(RealmError) -> Content {
        var content = Content(memory: ReadContext(file.mapping, limit: UInt64(file.size) & ~7))
        let space = content.memory.lookup
        let search = try TableSearch(
            space, file.mapping, memory, root: root?.ref ?? .none,
            isNewest: root != nil && why == nil)
        if root == nil, search.tables.isEmpty, let why {
            guard var old = try legacy(file, space, memory) else { throw nothingFound(why) }
            old.newestVersionError = why
            return old
        }
        if root == nil, search.tables.contains(where: { isUnfinished($0, space) }),
            var old = try? legacy(file, space, memory)
        {
            old.newestVersionError = why
            return old
        }
        let reader = SchemaReader(space: space, names: .none, tables: .none)
        let version = try? reader.schemaVersion(search.tables)
        content.schema = Schema(tables: search.tables, version: version ?? nil)
        (content.losses, content.renamedClasses) = (search.losses, search.naming.made)
        (content.version, content.top, content.leaves) = (search.version, search.top, search.leaves)
        content.neighbourhood = search.neighbourhood
        content.format = root?.format ?? content.format
        content.newestVersionError = why ?? notSelected(search)
        return content
    }

    /// Describes content that is newer than the version selected by the header; nil if there is
    /// none. Such content may also come from an unfinished commit.
    private static func notSelected(_ search: TableSearch) -> RealmError? {
        if let version = search.newerVersion {
            return .corrupt("it does not select version \(version), which is there", in: "header")
        }
        return search.hasNewerTables
            ? .corrupt("tables are there that are newer than those it selects", in: "header") : nil
    }

    private static func nothingFound(_ error: RealmError) -> RealmError {
        if error.kind != .input || error.reason != "not-a-realm" { return error }
        return .corrupt(
            "nothing in it is a table, and \(error.message)", in: "file")
    }

    /// Reads the version of `snapshot`, which is assumed to be intact.
    init(_ snapshot: Snapshot, _ searchMemory: SearchMemoryLimit) {
        self.searchMemory = searchMemory
        let state = snapshot.state
        memory = Snapshot.memory(snapshot.database, state)
        (schema, version, format) = (snapshot.schema, state.version, state.format)
        losses = state.legacy?.losses ?? []
        (renamedClasses, newestVersionError, errorCount, neighbourhood, top) = (
            [], nil, 0, nil, nil
        )
        (file, keepAlive) = (snapshot.database.file, snapshot)
    }

    /// Returns the leaves found for a table of a damaged file; nil if the table's own tree is
    /// intact.
    func leaves(of info: TableInfo) -> FoundLeaves? {
        guard leaves != nil else { return nil }
        if let known = leaves?[info.key] { return known }
        let work = SearchWork(bytes: memory.lookup.limit, searchMemory)
        var found = FoundLeaves(memory.lookup, info, work)
        found.endSearch()
        leaves?[info.key] = found
        return found
    }

    /// Releases pages of the mapped file that were read, to limit memory.
    func releasePages() { file.mapping.releasePages() }

    var fileSize: Int { file.size }

    /// Whether the tables are of an old format. Their nodes in the current format are built while
    /// they are read.
    var isDerived: Bool { memory.lookup.state.pointee.derived != nil }

    /// Calls `body` with every position whose bytes have the form of a node.
    func scan(
        _ body: (Ref, _ flags: UInt8, _ count: Int) throws(RealmError) -> Void
    ) throws(RealmError) {
        try NodeScan(file.mapping, limit: UInt64(file.size) & ~7).run(body)
    }

    /// Extents that contain no nodes: the header, and the footer of a streamed file. Empty if the
    /// header is lost.
    var headerExtents: [Range<UInt64>] {
        guard let raw = try? file.rawHeader(), raw.hasMagic else { return [] }
        let header = 0..<UInt64(RawHeader.size)
        let size = UInt64(file.size)
        guard raw.top0 == FileHeader.streamingMark, size & 7 == 0, size >= 40 else {
            return [header]
        }
        return [header, size - UInt64(FileHeader.footerSize)..<size]
    }
}

// MARK: - Root of the header

extension DamagedFile {
    private struct Root {
        let ref: Ref
        let slot: Int
        let format: Int
        var version: UInt64 = 1
        var isLegacy = false
        var isEmpty = false
        /// Reason why the root in the selected header slot is unusable; nil if this root is in the
        /// selected slot.
        var newestVersionError: RealmError?
    }

    private static func roots(_ file: MappedFile) throws(RealmError) -> [Root] {
        let raw = try file.rawHeader()
        guard raw.hasMagic else {
            _ = try file.header()
            return []
        }
        var roots: [Root] = []
        for slot in [raw.selected, 1 - raw.selected] {
            var ref = Ref(raw.top(slot))
            if slot == 0, raw.top0 == FileHeader.streamingMark {
                guard file.size & 7 == 0, file.size >= 40 else { continue }
                try file.mapping.prepare(file.size - 16, 16)
                ref = Ref(file.mapping.base.load(fromByteOffset: file.size - 16, as: UInt64.self))
            }
            roots.append(Root(ref: ref, slot: slot, format: raw.format(slot)))
        }
        return roots
    }

    /// Returns the first usable root: the root in the selected header slot, or else the root in the
    /// other slot.
    private static func namedRoot(_ file: MappedFile) throws(RealmError) -> Root {
        var reason: RealmError?
        for root in try roots(file) {
            do throws(RealmError) {
                var root = try opened(root, file)
                root.newestVersionError = reason
                return root
            } catch { reason = reason ?? error }
        }
        throw reason ?? .corrupt("the header names no root", in: "file")
    }

    /// Reads the version and format of a root; throws if the root is unusable.
    private static func opened(_ root: Root, _ file: MappedFile) throws(RealmError) -> Root {
        var root = root
        guard !root.ref.isNone else {
            guard try isEmpty(file, root) else {
                throw .corrupt("header slot \(root.slot) names no root", in: "file")
            }
            root.isEmpty = true
            return root
        }
        let memory = ReadContext(file.mapping, limit: UInt64(file.size) & ~7)
        defer { withExtendedLifetime(memory) {} }
        let space = memory.lookup
        // Accept any file size: a truncated file is smaller than the logical size in its root.
        let top = try TopArray(space, root.ref, fileSize: .max >> 1)
        let tables = try space.refNode(top.tables, slots: 0, "tables")
        _ = try space.names(top.names, count: tables.count, of: top.tables)
        root.version = top.version
        // One flipped bit can turn the format number into the number of an old format. The form of
        // the tables shows whether they really are of an old format.
        root.isLegacy =
            FileFormat.legacy.contains(root.format) && hasLegacyTables(space, top)
        return root
    }

    /// Reads the content of a root. The root is intact and of a current format, or of formats 2 to
    /// 9, or the empty root of a file without commits.
    private static func read(_ file: MappedFile, _ root: Root) throws(RealmError) -> Content {
        let whole = ReadContext(file.mapping, limit: UInt64(file.size) & ~7)
        if root.isEmpty { return Content(memory: whole) }
        defer { withExtendedLifetime(whole) {} }
        let top = try TopArray(whole.lookup, root.ref, fileSize: .max >> 1)
        let limit = min(top.logicalSize, UInt64(file.size) & ~7)
        if root.isLegacy { return try legacy(file, top, limit) }
        let memory = ReadContext(file.mapping, limit: limit)
        let reader = SchemaReader(space: memory.lookup, names: top.names, tables: top.tables)
        return Content(memory: memory, schema: try reader.schema(), top: top)
    }

    /// Whether nothing was ever committed to the file. Then neither slot has a root, and all bytes
    /// between the header and the end of the file, or the footer of a streamed file, are zero.
    private static func isEmpty(_ file: MappedFile, _ root: Root) throws(RealmError) -> Bool {
        let raw = try file.rawHeader()
        guard root.slot == raw.selected else { return false }
        let header = try FileHeader(raw, base: file.mapping.base, size: file.size, slot: root.slot)
        if raw.top(1) != 0 || !header.isStreaming && raw.top0 != 0 { return false }
        let end = file.size - (header.isStreaming ? FileHeader.footerSize : 0)
        let rest = RawHeader.size..<max(RawHeader.size, end)
        try file.mapping.prepare(rest.lowerBound, rest.count)
        return rest.allSatisfy { file.mapping.base.load(fromByteOffset: $0, as: UInt8.self) == 0 }
    }
}

// MARK: - Formats 2 to 9

extension DamagedFile {
    /// Whether a table in the form of format 10 was left by an upgrade that was not finished.
    private static func isUnfinished(_ info: TableInfo, _ space: NodeSpace) -> Bool {
        let columns = try? space.refNode(info.top, slots: 2, "table").slot(1).child
        return columns != nil
            || info.name == LegacyContent.keyTable && info.columnIndex(named: "pk_table") != nil
    }

    /// Whether some table has fewer slots than tables of current formats, or an upgrade from an old
    /// format was interrupted. Also true if no table can be read.
    private static func hasLegacyTables(_ space: NodeSpace, _ top: TopArray) -> Bool {
        guard let tables = try? space.refNode(top.tables, slots: 0, "tables") else { return true }
        let names = try? space.names(top.names, count: tables.count, of: top.tables)
        var hasTables = false
        for i in 0..<tables.count {
            guard let ref = tables.slot(i).child, let table = try? space.node(ref),
                table.hasRefs, table.count >= TableShape.legacyCount
            else { continue }
            if table.count < LegacyTable.Unlinked.upgradedSlots { return true }
            // Only tables of formats 2 to 9 have a columns array; an upgrade to format 10 removes
            // it.
            if table.slot(TableShape.legacyColumns).child != nil { return true }
            let name = try? names?.name(i, at: top.tables)
            if name == LegacyContent.keyTable || name == LegacyContent.progressTable {
                return true
            }
            hasTables = true
        }
        return !hasTables
    }

    /// Reads the newest root of an old format that no header refers to; nil if there is none.
    private static func legacy(
        _ file: MappedFile, _ space: NodeSpace, _ memory: SearchMemoryLimit
    ) throws(RealmError) -> Content? {
        guard let top = try LegacyRoots(space, memory).newest(file.mapping) else { return nil }
        var content = try legacy(file, top, space.limit)
        (content.format, content.version) = (FileFormat.legacy.last!, top.version)
        content.leaves = [:]
        return content
    }

    private static func legacy(
        _ file: MappedFile, _ top: TopArray, _ limit: UInt64
    ) throws(RealmError) -> Content {
        let source = ReadContext(file.mapping, limit: limit)
        defer { withExtendedLifetime(source) {} }
        var lost: [SalvageLoss] = []
        let content = try LegacyContent(source.lookup, names: top.names, tables: top.tables) {
            lost.append(.table(slot: $0, why: $1.message))
        }
        let nodes = try LegacyNodes(file.mapping, content, source)
        let memory = ReadContext(file.mapping, limit: limit)
        memory.setDerivedNodes(nodes)
        let schema = try LegacySchema(nodes, memory.lookup, top, isLenient: true).schema()
        var naming = TableNaming()
        let tables = schema.tables.map { $0.named(naming.name($0.name, slot: $0.key.slot)) }
        return Content(
            memory: memory, schema: Schema(tables: tables, version: schema.version),
            losses: lost + nodes.losses, renamedClasses: naming.made)
    }
}

extension LegacyNodes {
    /// Losses for the columns whose values are tables. No property of the current format can store
    /// such a column.
    fileprivate var losses: [SalvageLoss] {
        content.tables.flatMap { table in
            table.spec.columns.filter { $0.type == .table && $0.elements == nil }.map {
                .property(
                    className: TableInfo.className(of: table.name), property: $0.name,
                    why: "its cells are tables, which no property can hold")
            }
        }
    }
}
