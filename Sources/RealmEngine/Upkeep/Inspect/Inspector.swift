/// Finds out what a database file is, and who keeps it as large as it is, without joining its session.
///
/// Nothing is written, locked or created: the database is mapped for reading, the lock file is copied
/// by reading it. A file in use is therefore read as a stranger would read it: should its newest
/// version be replaced meanwhile, the reading is done again. Confined to one thread.
public struct Inspector {
    let path: String
    /// Whether the lock file is looked at.
    private let readsLockFile: Bool
    private let key: EncryptionKey?

    /// - Parameters:
    ///   - readsLockFile: false to leave everything but the database file alone; a live session then
    ///     goes unnoticed.
    ///   - key: of an encrypted file; without it only what the file looks like can be told.
    public init(path: String, readsLockFile: Bool = true, key: EncryptionKey? = nil) {
        self.path = path
        self.key = key
        self.readsLockFile = readsLockFile
    }

    private static let attempts = 200

    /// What can be known now.
    ///
    /// Damage ends up in `Inspection.damage`. Throws `key` when the key is not the file's, `input`
    /// when the file cannot be read or is no Realm file and not encrypted either, and `busy` when commits follow one another faster than
    /// the facts can be read.
    public func inspect() throws(RealmError) -> Inspection {
        try retryUntilStable { (reading, raw) throws(RealmError) in
            var found = Inspection(path: path)
            found.bytes = reading.file.fileSize
            found.isEncrypted = reading.file.mapping.pages != nil
            found.lock = reading.lock?.facts
            found.versions = reading.lock?.versions ?? []
            found.version = reading.lock?.newest?.version
            guard let raw else {
                found.isEncrypted = true
                return found
            }
            do throws(RealmError) {
                try describe(reading, raw, &found)
            } catch {
                guard error.isDamage, !reading.believesVersions else { throw error }
                found.damage = error.inFile(path)
            }
            if found.versions.isEmpty, let version = found.version, let top = found.top {
                found.versions = [
                    Inspection.LiveVersion(
                        version: version, behind: 0, live: 0, frozen: 0, full: 0, top: top,
                        logicalBytes: found.logicalBytes ?? 0)
                ]
            }
            return found
        }
    }

    /// Calls `body` with the file, its lock file and its header (nil for a file that looks
    /// encrypted) until no commit came in between.
    func retryUntilStable<R>(
        _ body: (FileReading, RawHeader?) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        do throws(RealmError) {
            for _ in 0..<Self.attempts {
                let file = try MappedFile(path: path, key.map { .given($0) } ?? .unknown)
                let lock = readsLockFile ? LockFileCopy(databasePath: path) : nil
                let raw = try rawHeader(file)
                // Measured last: a writer makes the file longer before a header or a version of the
                // session leads there.
                let size = try file.extendToEnd()
                let reading = FileReading(file: file, lock: lock, size: size)
                guard let raw else { return try body(reading, nil) }
                do throws(RealmError) {
                    let result = try body(reading, raw)
                    if !reading.hasChanged(since: raw, path: path) { return result }
                } catch {
                    // Bytes overwritten while they were read look like damage.
                    if reading.hasChanged(since: raw, path: path) { continue }
                    guard error.isDamage, reading.believesVersions else { throw error }
                    // What the lock file says may be what is wrong: then the header tells.
                    if let result = try? body(reading.disbelieving, raw) { return result }
                    throw error
                }
            }
        } catch { throw error.inFile(path) }
        throw MappedFile.changing(path)
    }

    private func describe(
        _ reading: FileReading, _ raw: RawHeader, _ found: inout Inspection
    ) throws(RealmError) {
        let header = try reading.header(raw)
        found.format = header.format
        found.slot = header.slot
        found.isStreaming = header.isStreaming
        found.previousVersion = previousVersion(reading, raw, header)
        try reading.describe(header, &found)
        if reading.lock == nil, header.top.isNone, !header.isStreaming {
            try LostHeader(reading.file.mapping, raw, size: reading.size).check()
        }
    }

    /// The header, nil for a file that looks encrypted.
    private func rawHeader(_ file: MappedFile) throws(RealmError) -> RawHeader? {
        if file.size >= RawHeader.size {
            let raw = try file.rawHeader()
            if raw.hasMagic { return raw }
        }
        if file.mapping.pages == nil,
            EncryptedForm.begins(file.mapping.base, size: file.size)
        {
            return nil
        }
        if file.mapping.pages == nil, EncryptedForm.isCut(file.mapping.base, size: file.size) {
            throw EncryptedForm.cutError(file.path)
        }
        _ = try file.header()
        throw RealmError(
            .internal, code: "RuntimeError", reason: "header", "a header without its signature")
    }

    /// The version behind the slot that is not selected.
    private func previousVersion(
        _ reading: FileReading, _ raw: RawHeader, _ header: FileHeader
    ) -> UInt64? {
        if header.isStreaming { return nil }
        guard let other = try? reading.header(raw, slot: 1 - header.slot),
            !other.isStreaming, !other.top.isNone
        else { return nil }
        let memory = ReadContext(reading.file.mapping, limit: UInt64(reading.size))
        defer { withExtendedLifetime(memory) {} }
        return try? TopArray(memory.lookup, other.top, fileSize: reading.size).version
    }
}

/// One reading of a file and, where a session is live, its lock file.
struct FileReading {
    let file: MappedFile
    let lock: LockFileCopy?
    /// Bytes mapped: all that the header and the lock file, read before, lead to.
    let size: Int

    /// The header read for this reading, as that of one slot; nil for the selected one.
    func header(_ raw: RawHeader, slot: Int? = nil) throws(RealmError) -> FileHeader {
        try file.header(raw, size: size, slot: slot)
    }

    /// Whether it goes by the versions the lock file lists, not by the header.
    var believesVersions: Bool { lock?.newest != nil }

    /// The same that goes by the header.
    var disbelieving: FileReading {
        FileReading(
            file: file, lock: lock.map { LockFileCopy(disbelieving: $0) }, size: size)
    }

    /// Whether a commit landed since, after which what was read may have been overwritten.
    func hasChanged(since raw: RawHeader, path: String) -> Bool {
        guard let lock, let newest = lock.newest else {
            // Without a session the header is all there is.
            guard let now = try? file.rawHeader() else { return true }
            return now != raw
        }
        // A version nobody pins any more may be overwritten while its free list is read.
        guard let now = LockFileCopy(databasePath: path), now.newest?.version == newest.version
        else {
            return true
        }
        let readable = Set(now.versions.map(\.version))
        return !lock.versions.allSatisfy { readable.contains($0.version) }
    }

    /// Offset of the newest version's root.
    func newestRoot(_ header: FileHeader) -> Ref {
        lock?.newest.map { Ref($0.top) } ?? header.top
    }

    /// The newest version's root, and its space; nil when nothing was ever committed.
    func newest(_ header: FileHeader) throws(RealmError) -> (top: TopArray, memory: ReadContext)? {
        let ref = newestRoot(header)
        let size = try extent()
        if ref.isNone { return nil }
        let whole = ReadContext(file.mapping, limit: UInt64(size))
        defer { withExtendedLifetime(whole) {} }
        let top = try TopArray(whole.lookup, ref, fileSize: size)
        if let newest = lock?.newest, newest.version != top.version {
            throw .corrupt(
                "the root of version \(newest.version) says it is version \(top.version)", at: ref)
        }
        return (top, ReadContext(file.mapping, limit: UInt64(size)))
    }

    /// Adds what the newest version says.
    func describe(_ header: FileHeader, _ found: inout Inspection) throws(RealmError) {
        found.top = newestRoot(header).raw
        found.logicalBytes = UInt64(RawHeader.size)
        guard let (top, memory) = try newest(header) else {
            found.version = lock?.newest?.version ?? 1
            found.content = Inspection.Content(schemaVersion: nil, classes: 0, objects: 0)
            found.history = Inspection.History(type: 0, schema: 0, entries: 0, bytes: 0)
            found.space = Inspection.Space(
                live: UInt64(RawHeader.size), free: UInt64(found.bytes - RawHeader.size),
                pinned: 0, chunks: 0)
            return
        }
        defer { withExtendedLifetime(memory) {} }
        found.version = top.version
        found.logicalBytes = top.logicalSize
        try describeSpace(memory.lookup, top, header, &found)
        found.history = try history(memory, top, format: header.format)
        found.content = try content(memory, top, format: header.format)
    }

    /// Bytes of the file that may be read: mapped as far as the session's versions reach.
    private func extent() throws(RealmError) -> Int {
        guard let lock else { return size }
        var size = self.size
        for version in lock.versions {
            guard let end = Int(exactly: version.logicalBytes), end < 1 << 48 else {
                throw .corrupt(
                    "version \(version.version) ends at \(version.logicalBytes)", in: "lock file")
            }
            size = max(size, end)
        }
        try file.extend(to: size)
        return size
    }

    /// Tables and objects. Formats before 20 store tables in other ways.
    private func content(
        _ memory: ReadContext, _ top: TopArray, format: Int
    ) throws(RealmError) -> Inspection.Content? {
        guard let schema = try schema(memory, top, format: format) else { return nil }
        var objects = 0
        for table in schema.classes {
            let (sum, overflow) = objects.addingReportingOverflow(
                try ClusterTree(space: memory.lookup, root: table.root).count())
            if overflow { throw .corrupt("more objects than can be counted", in: "tables") }
            objects = sum
        }
        return Inspection.Content(
            schemaVersion: schema.version, classes: schema.classes.count, objects: objects)
    }

    /// The tables; nil for formats that are not read. What makes nodes of old ones is kept in `memory`.
    func schema(
        _ memory: ReadContext, _ top: TopArray, format: Int
    ) throws(RealmError) -> Schema? {
        if FileFormat.legacy.contains(format) {
            let state = try VersionState.read(
                file.mapping, size: size, format: format, top: top.ref)
            if let nodes = state.legacy { memory.keepDerived(nodes) }
            return state.schema
        }
        guard FileFormat.keyed.contains(format) else { return nil }
        return try SchemaReader(space: memory.walk, names: top.names, tables: top.tables).schema()
    }

    static let inRealm: UInt64 = 2

    private func entryCount(
        _ memory: ReadContext, _ top: TopArray
    ) throws(RealmError) -> Int {
        let tree = BPlusTree(space: memory.lookup, root: top.history)
        return try tree.count { (leaf) throws(RealmError) in
            try BytesLeaf(binaries: memory.lookup, leaf).count
        }
    }

    private func history(
        _ memory: ReadContext, _ top: TopArray, format: Int
    ) throws(RealmError) -> Inspection.History {
        var entries: Int?
        if top.historyType == Self.inRealm || top.history.isNone {
            // Nothing reads that of an old format, so that what is wrong with it is no damage.
            let isLegacy = FileFormat.legacy.contains(format)
            entries = try isLegacy ? try? entryCount(memory, top) : entryCount(memory, top)
        }
        return Inspection.History(
            type: top.historyType, schema: top.historySchema, entries: entries,
            bytes: try NodeTree.byteSize(memory.walk, top.history))
    }
}

/// Everything below a node, whatever it means.
enum NodeTree {
    /// Calls `body` with each node below and including `root`.
    static func visit(
        _ space: NodeSpace, _ root: Ref, _ body: (Ref, NodeView) -> Void
    ) throws(RealmError) {
        var pending = root.isNone ? [] : [root]
        while let ref = pending.popLast() {
            let node = try space.node(ref)
            body(ref, node)
            guard node.hasRefs, node.widthType == 0 else { continue }
            for i in 0..<node.count {
                if let child = node.slot(i).child { pending.append(child) }
            }
        }
    }

    /// Bytes of the nodes, headers and padding included.
    static func byteSize(_ space: NodeSpace, _ root: Ref) throws(RealmError) -> UInt64 {
        var total: UInt64 = 0
        try visit(space, root) { _, node in total &+= UInt64(node.byteSize) }
        return total
    }
}
