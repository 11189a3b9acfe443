/// A database that cannot be opened as a whole: its root and the tables that can be read.
final class DamagedFile {
    /// A table whose name cannot be read, is another's or, repaired, too long.
    struct LostName {
        let newName: String
    }

    let memory: SpaceMemory
    let format: Int
    let schema: Schema
    /// What is lost before any object is looked at.
    let losses: [SalvageLoss]
    let renamedTables: [LostName]
    let version: UInt64
    /// Why the version the header selects could not be used; nil where it was.
    let whyNotNewest: RealmError?
    private let file: MappedFile
    /// Nil for a version that was opened.
    private let root: Root?
    private let keeper: Snapshot?

    /// Opens the file at `path` at the root the header selects, or at the other one where that leads
    /// nowhere. Throws the reason why the first cannot be used when neither can; `incompatible` for
    /// formats that are not read.
    init(path: String, _ key: DatabaseKey = .none) throws(RealmError) {
        let file = try MappedFile(path: path, key)
        let roots = try Self.roots(file)
        var reason: RealmError?
        for root in roots {
            do throws(RealmError) {
                let read = try Self.read(file, root)
                (memory, schema, losses, renamedTables, version) = read
                format = root.format
                whyNotNewest = reason
                (self.file, self.root, keeper) = (file, root, nil)
                return
            } catch { reason = reason ?? error }
        }
        throw reason ?? .corrupt("the header names no root", in: "file")
    }

    /// What `snapshot` sees, which is whole as far as anybody knows.
    init(_ snapshot: Snapshot) {
        let state = snapshot.state
        memory = Snapshot.memory(snapshot.database, state)
        (schema, version, format) = (snapshot.schema, state.version, state.format)
        losses = state.legacy?.losses ?? []
        (renamedTables, whyNotNewest) = ([], nil)
        (file, root, keeper) = (snapshot.database.file, nil, snapshot)
    }

    /// Errors that an integrity check finds in the version that is read.
    func countErrors() -> Int {
        guard let root else { return 0 }
        let selected = try? file.header(file.rawHeader(), size: file.size, slot: root.slot)
        guard let header = selected, header.top == root.ref else { return 1 }
        return IntegrityCheck(
            file.mapping, fileSize: file.size, header: header, top: header.top, level: .full,
            owner: file
        ).run().errorCount
    }

    /// Gives pages that were read back to the system.
    func releasePages() { file.mapping.releasePages() }

    private struct Root {
        let ref: Ref
        let slot: Int
        let format: Int
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

    private typealias Read = (
        memory: SpaceMemory, schema: Schema, lost: [SalvageLoss], renamed: [LostName],
        version: UInt64
    )

    private static func read(
        _ file: MappedFile, _ root: Root
    ) throws(RealmError) -> Read {
        guard !root.ref.isNone else {
            guard try isEmpty(file, root) else {
                throw .corrupt("header slot \(root.slot) names no root", in: "file")
            }
            let memory = SpaceMemory(file.mapping, limit: UInt64(file.size))
            return (memory, Schema(tables: [], version: nil), [], [], 1)
        }
        let whole = SpaceMemory(file.mapping, limit: UInt64(file.size))
        // A truncated file is smaller than its root says.
        let top = try TopArray(whole.lookup, root.ref, fileSize: .max >> 1)
        let limit = min(top.logicalSize, UInt64(file.size))
        // One bit makes the number of an old format, but not its tables.
        if FileHeader.legacyFormats.contains(root.format), hasLegacyTables(whole.lookup, top) {
            return try legacy(file, top, limit)
        }
        let memory = SpaceMemory(file.mapping, limit: limit)
        let reader = SchemaReader(space: memory.lookup, names: top.names, tables: top.tables)
        let names = try memory.lookup.node(top.names)
        let roots = try memory.lookup.refNode(top.tables, slots: 0, "tables")
        guard !names.hasRefs, names.widthType == 1 || names.count == 0,
            names.count == roots.count, names.count < 1 << 16
        else { throw memory.lookup.wrongShape(top.names, "table names") }
        var tables: [TableInfo] = []
        var lost: [SalvageLoss] = []
        var taken: Set<String> = [""]
        var renamed: [LostName] = []
        for i in 0..<roots.count {
            do throws(RealmError) {
                guard let ref = roots.slot(i).child else {
                    _ = try reader.slot(i, names, roots)
                    continue
                }
                var name = (try? names.name(i, at: top.names)) ?? ""
                let read = name
                name = SchemaReader.fitting(name)
                let isOther = name != read && !name.hasPrefix(TableInfo.classPrefix)
                if isOther || taken.contains(name) { name = newName(i, taken) }
                let isLost = name != read
                tables.append(try reader.table(ref, slot: i, name: name))
                if isLost { renamed.append(LostName(newName: tables.last!.className)) }
                taken.insert(name)
            } catch { lost.append(.table(slot: i, why: error.message)) }
        }
        let version = try? reader.schemaVersion(tables)
        return (
            memory, Schema(tables: tables, version: version ?? nil), lost, renamed, top.version
        )
    }

    /// Nothing was ever committed to the file: neither slot names a root, and all is zero between the
    /// header and the end, or the footer of a stream.
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

    /// For the table in `slot`, whose own name cannot be read or is another's.
    private static func newName(_ slot: Int, _ taken: Set<String>) -> String {
        var name = TableInfo.classPrefix + "Table\(slot)"
        while taken.contains(name) { name += "_" }
        return name
    }
}

// MARK: - Formats 2 to 9

extension DamagedFile {
    /// Tables of two slots; nil where none can be looked at.
    private static func hasLegacyTables(_ space: NodeSpace, _ top: TopArray) -> Bool {
        guard let tables = try? space.refNode(top.tables, slots: 0, "tables") else { return true }
        for i in 0..<tables.count {
            guard let ref = tables.slot(i).child, let table = try? space.node(ref) else { continue }
            return table.count < 12
        }
        return true
    }

    private static func legacy(
        _ file: MappedFile, _ top: TopArray, _ limit: UInt64
    ) throws(RealmError) -> Read {
        let source = SpaceMemory(file.mapping, limit: limit)
        var lost: [SalvageLoss] = []
        let content = try LegacyContent(source.lookup, names: top.names, tables: top.tables) {
            lost.append(.table(slot: $0, why: $1.message))
        }
        let nodes = try LegacyNodes(file.mapping, content, source)
        let memory = SpaceMemory(file.mapping, limit: limit)
        memory.keepDerived(nodes)
        let schema = try LegacySchema(nodes, memory.lookup, top, isLenient: true).schema()
        return (memory, schema, lost + nodes.losses, [], top.version)
    }
}

extension LegacyNodes {
    /// Columns of the file that have no counterpart.
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
