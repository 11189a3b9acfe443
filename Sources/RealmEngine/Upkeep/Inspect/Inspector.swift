/// Reads the facts of a database file, including the readers that keep it large, without joining
/// its session.
///
/// Writes, locks and creates nothing: the database is mapped for reading, and the lock file is read
/// into a copy. If a commit is made in the meantime, the file is read again. Confined to one
/// thread.
public struct Inspector {
    let path: String
    /// Whether to read the lock file.
    private let readsLockFile: Bool
    private let key: EncryptionKey?

    /// - Parameters:
    ///     - readsLockFile: false to access only the database file. A live session is not detected
    ///       then.
    ///     - key: key of an encrypted file. Without it, only facts that are visible in the
    ///       encrypted bytes are found.
    public init(path: String, readsLockFile: Bool = true, key: EncryptionKey? = nil) {
        self.path = path
        self.key = key
        self.readsLockFile = readsLockFile
    }

    private static let attempts = 200

    /// Reads all facts.
    ///
    /// Damage is stored in `Inspection.damage`.
    ///
    /// - Throws: `key` if the key is not the file's, `input` if the file cannot be read or is
    ///   neither a Realm file nor encrypted, and `busy` if commits are too frequent to read the
    ///   facts between two of them.
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
                guard error.isDamage, !reading.usesLockFileVersions else { throw error }
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
    /// encrypted). Repeats the call until no commit happened during it.
    func retryUntilStable<R>(
        _ body: (FileReading, RawHeader?) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        do throws(RealmError) {
            for _ in 0..<Self.attempts {
                let file = try MappedFile(path: path, key.map { .given($0) } ?? .unknown)
                let lock = readsLockFile ? LockFileCopy(databasePath: path) : nil
                let raw = try rawHeader(file)
                // Measure the size last: a writer extends the file before the header, or a version
                // of the session, refers to the new part.
                let size = try file.extendToEnd()
                let reading = FileReading(file: file, lock: lock, size: size)
                guard let raw else { return try body(reading, nil) }
                do throws(RealmError) {
                    let result = try body(reading, raw)
                    if !reading.hasChanged(since: raw, path: path) { return result }
                } catch {
                    // If a commit overwrote bytes during the call, they look like damage.
                    if reading.hasChanged(since: raw, path: path) { continue }
                    guard error.isDamage, reading.usesLockFileVersions else { throw error }
                    // The versions in the lock file may be wrong. Try again with the version in the
                    // header.
                    if let result = try? body(reading.usingHeaderVersion, raw) { return result }
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

    /// Returns the header; nil for a file that looks encrypted.
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

    /// Returns the version in the header slot that is not selected; nil if it cannot be read.
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

/// The state of a file in one attempt to read it, with its lock file if a session is live.
struct FileReading {
    let file: MappedFile
    let lock: LockFileCopy?
    /// Number of mapped bytes. The size of the file was read after the header and the lock file, so
    /// the mapping includes everything to which they refer.
    let size: Int

    /// Decodes `raw` as a header that selects `slot`, or with its own selected slot if `slot` is
    /// nil.
    func header(_ raw: RawHeader, slot: Int? = nil) throws(RealmError) -> FileHeader {
        try file.header(raw, size: size, slot: slot)
    }

    /// Whether versions are taken from the lock file, not from the header.
    var usesLockFileVersions: Bool { lock?.newest != nil }

    /// The same state of the file, but with the newest version taken from the header and not from
    /// the lock file.
    var usingHeaderVersion: FileReading {
        FileReading(
            file: file, lock: lock.map { LockFileCopy(usingHeaderVersion: $0) }, size: size)
    }

    /// Whether a commit was made since `raw` was read. The commit may have overwritten bytes that
    /// were read since.
    func hasChanged(since raw: RawHeader, path: String) -> Bool {
        guard let lock, let newest = lock.newest else {
            // Without a session, the versions were read from the header, which every commit
            // changes.
            guard let now = try? file.rawHeader() else { return true }
            return now != raw
        }
        // If the version is no longer pinned, a commit may overwrite it while its free list is
        // read.
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

    /// Returns the newest version's root and its read context; nil if nothing was ever committed.
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

    /// Adds the facts stored in the newest version.
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

    /// Extends the mapping of the file to the end of all versions in the lock file. Returns the
    /// number of bytes that may be read.
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

    /// Counts classes and objects; nil for formats that are not read.
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

    /// Reads the schema; nil for formats that are not read. For formats 2 to 9, `memory` then also
    /// retains the tables' nodes in the current format.
    func schema(
        _ memory: ReadContext, _ top: TopArray, format: Int
    ) throws(RealmError) -> Schema? {
        if FileFormat.legacy.contains(format) {
            let state = try VersionState.read(
                file.mapping, size: size, format: format, top: top.ref)
            if let nodes = state.legacy { memory.setDerivedNodes(nodes) }
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
            // No engine reads the history of an old format, so an error in it is no damage.
            let isLegacy = FileFormat.legacy.contains(format)
            entries = try isLegacy ? try? entryCount(memory, top) : entryCount(memory, top)
        }
        return Inspection.History(
            type: top.historyType, schema: top.historySchema, entries: entries,
            bytes: try NodeTree.byteSize(memory.walk, top.history))
    }
}

/// Traversal of all nodes below a node, independent of their meaning.
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

    /// Returns the total size in bytes of the tree with the root `root`, including headers and
    /// padding.
    static func byteSize(_ space: NodeSpace, _ root: Ref) throws(RealmError) -> UInt64 {
        var total: UInt64 = 0
        try visit(space, root) { _, node in total &+= UInt64(node.byteSize) }
        return total
    }
}
