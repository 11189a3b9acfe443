/// Writes one version of a database into an empty file, sequentially and without free space
/// (storage format 5.12). Objects, keys and indexes are unchanged; the history can be omitted.
///
/// Private memory: some buffers of half a MiB, and memory for enumerating columns, limited by
/// `maxMemory`. Pages of the source are released after they are read. Confined to the snapshot's
/// thread. A second thread writes and verifies; it ends before `write` returns.
public struct Compactor {
    /// Options of a compaction.
    public struct Options: Sendable {
        /// Whether to keep the history, by which other processes and threads find out what changed.
        public var keepsHistory = true
        /// Whether to keep the identity of a synchronised file. A replacement of the file must keep
        /// it; a copy must not.
        public var keepsFileIdentifier = false
        /// String columns to enumerate: rows then store indexes into a list of the distinct
        /// strings.
        package var enumeration = Enumeration.none
        /// Limit of private memory in bytes.
        public var maxMemory = 64 << 20
        /// Whether to read the written file again and compare it with the original node by node.
        /// Ignored if columns are enumerated, because this changes the nodes.
        public var verifies = true
        /// Whether the written file has the transactional form, which allows commits while other
        /// programs have the file open. A file that replaces a database needs this form (storage
        /// format 1.3).
        public var isTransactional = false
        /// Older format to write; nil for the format of the original. A copy in an older format
        /// enumerates no further columns, and is not verified.
        package var format: DowngradeFormat?
        /// Key to encrypt the written file with; nil for an unencrypted file, even if the original
        /// is encrypted.
        public var key: EncryptionKey?

        public init() {}
    }

    /// Statistics of the written file.
    public struct Result: Sendable {
        /// Size of the file in bytes.
        public let bytes: UInt64
        let nodes: Int
        /// Number of string columns that the copy enumerates (stores as indexes into their distinct
        /// values) and the original does not.
        package let enumerated: Int
        /// Whether the written file was read back and equals the original.
        public let isVerified: Bool
    }

    private let snapshot: Snapshot
    private let options: Options
    private let file: SequentialFile
    private let copier: NodeCopier
    private let verification: CopyVerification?
    /// Older format to write; nil for the format of the original.
    private let older: DowngradeFormat?

    private init(
        _ snapshot: Snapshot, _ options: Options, _ descriptor: Int32?, path: String,
        _ progress: @escaping (UInt64) throws(RealmError) -> Void
    ) throws(RealmError) {
        self.snapshot = snapshot
        self.options = options
        older = options.format.flatMap { $0.number == snapshot.state.format ? nil : $0 }
        let verifies = options.verifies && options.enumeration == .none && older == nil
        verification =
            if verifies, let descriptor {
                try CopyVerification(
                    snapshot, descriptor, path: path, key: options.key,
                    maxMemory: options.maxMemory)
            } else {
                nil
            }
        file = try SequentialFile(
            descriptor, path: path, key: options.key, follower: verification, progress: progress)
        copier = NodeCopier(
            snapshot.lookup, snapshot.database.file.mapping, file, verification,
            maxMemory: options.maxMemory, remakes: older != nil)
    }

    /// Writes the version of `snapshot` to the empty file of `descriptor`, which must be open for
    /// reading and writing. Syncs the file and does not close the descriptor.
    ///
    /// - Parameters:
    ///     - path: name of the file in errors.
    ///     - progress: receives the number of bytes written so far, from time to time. An error
    ///       that it throws ends the compaction.
    /// - Throws: `corrupt` if the nodes of the version form no tree, `output` if the file cannot be
    ///   written, `incompatible` if an older format cannot store the content, `internal` if the
    ///   written file differs from the original.
    public static func write(
        _ snapshot: Snapshot, to descriptor: Int32, path: String, options: Options = Options(),
        progress: @escaping (UInt64) throws(RealmError) -> Void = { _ in }
    ) throws(RealmError) -> Result {
        let compactor = try Compactor(snapshot, options, descriptor, path: path, progress)
        // Close the file here: the second thread must not write to the descriptor after its owner
        // has closed it.
        defer { compactor.file.close() }
        return try compactor.run()
    }

    /// Returns the result that `write` would return, without writing a file. Reads the whole
    /// version.
    public static func estimate(
        _ snapshot: Snapshot, options: Options = Options()
    ) throws(RealmError) -> Result {
        try Compactor(snapshot, options, nil, path: "", { _ in }).run()
    }

    private func run() throws(RealmError) -> Result {
        let state = snapshot.state
        if state.legacy != nil {
            throw Database.oldFormat(state.format, notFor: "compacted")
        }
        var enumerated = 0
        var root = Ref.none
        try options.enumeration.check(snapshot.schema)
        if let older { try check(older) }
        let format = older?.number ?? state.format
        try header(format: state.top == nil ? 0 : format)
        if let top = state.top {
            guard top.historyType != 0 || top.history.isNone && top.historySchema == 0 else {
                throw .corrupt("the root names a history of no type", at: top.ref)
            }
            let names = try copier.copy(top.names)
            let tables = try copyTables(top.tables, &enumerated)
            root = try emitRoot(top, names, tables)
        }
        // In an encrypted file, fill the last page, so that the footer ends at the end of the file.
        if options.key != nil { try file.fillPage(leaving: FileHeader.footerSize) }
        try file.append(root.raw)
        try file.append(FileHeader.footerCookie)
        try file.finish()
        try verification?.finish(
            state, size: Int(clamping: file.position),
            hasHistory: options.keepsHistory && state.top?.history.isNone == false)
        if options.isTransactional, !root.isNone {
            try makeTransactional(root, format: format)
        }
        // Make everything that was written durable before the file gets its name.
        try file.sync()
        let size =
            options.key == nil
            ? file.position : UInt64(EncryptedLayout.fileSize(of: Int(file.position)))
        return Result(
            bytes: size, nodes: copier.nodes, enumerated: enumerated,
            isVerified: verification != nil)
    }

    private func check(_ older: DowngradeFormat) throws(RealmError) {
        guard snapshot.state.format == FileFormat.current || snapshot.state.top == nil else {
            throw .misuse("only files of format 24 are written in an older one")
        }
        try older.check(snapshot)
    }

    private func header(format: Int) throws(RealmError) {
        try file.append(FileHeader.streamingMark)
        try file.append(0)
        try file.append(UInt64(0x4244_2D54) | UInt64(format) << 32)
    }

    @_optimize(size)
    private func copyTables(_ ref: Ref, _ enumerated: inout Int) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        guard node.hasRefs else { throw copier.space.wrongShape(ref, "tables") }
        var count = 0
        let trees = try older.map { (format) throws(RealmError) in
            DowngradeTrees(copier, format, try NodeScratch(snapshot))
        }
        let result = try copier.emit(node, at: ref) { (slot, child) throws(RealmError) in
            guard let info = snapshot.schema.tables.first(where: { $0.key.slot == slot }) else {
                return try copier.copy(child)
            }
            if let trees {
                return try DowngradeTableCopier(trees, snapshot.table(info)).copy(child)
            }
            let values = try options.enumeration.values(
                snapshot.table(info), maxMemory: options.maxMemory / 4)
            count += values.count
            return try TableCopier(copier, info, enumerated: values).copy(child)
        }
        enumerated = count
        return result
    }

    /// Writes the history, empty free lists, and the root that references them.
    private func emitRoot(
        _ top: TopArray, _ names: Ref, _ tables: Ref
    ) throws(RealmError) -> Ref {
        var history = Ref.none
        if options.keepsHistory, older == nil, !top.history.isNone {
            history = try copier.copy(top.history)
        }
        var root = TopArray.Content(names: names, tables: tables, version: top.version)
        root.freePositions = try copier.emit([])
        root.freeLengths = try copier.emit([])
        root.freeVersions = try copier.emit([])
        if top.historyType != 0 {
            // The history of format 24 has another schema number, which older engines refuse.
            root.history = .init(
                type: top.historyType, ref: history, schema: older == nil ? top.historySchema : 0,
                fileID: options.keepsFileIdentifier ? top.syncFileID : 0)
        }
        // The root stores the size of the file, so the width of the root depends on the size, and
        // the size on the width. Repeat until both agree.
        let start = file.position
        var size = start
        while true {
            let slots = root.slots(logicalSize: size).map { Int64(bitPattern: $0) }
            let code = slots.withUnsafeBufferPointer { NodeEncoder.widthCode($0) }
            let payload = NodeView.payloadSize(flags: code, count: slots.count)
            let end = start + UInt64(8 + (payload + 7) & ~7)
            if end == size { return try copier.emit(slots, flags: NodeView.hasRefsFlag) }
            size = end
        }
    }

    /// Converts the header from the streaming form. Writes the slot of the root first and the
    /// select bit last.
    private func makeTransactional(_ root: Ref, format: Int) throws(RealmError) {
        let top = (0..<8).map { UInt8(truncatingIfNeeded: root.raw >> ($0 * 8)) }
        try file.overwrite(top, at: RawHeader.topOffset(1))
        try file.overwrite(
            [UInt8(truncatingIfNeeded: format)], at: RawHeader.formatOffset(1))
        try file.overwrite([1], at: RawHeader.flagsOffset)
    }
}
