/// Writes one version of a database into an empty file, front to back and without free space
/// (storage format 5.12). Objects, keys, indexes and, if wanted, the history stay what they are.
///
/// Private memory: a buffer of 1 MiB and what enumerating columns needs, within `maxMemory`; pages
/// of the source are given back behind the cursor. Confined to the snapshot's thread.
public struct Compactor {
    /// How to compact.
    public struct Options: Sendable {
        /// Keep the change log, from which participants of a session learn what changed.
        public var keepsHistory = true
        /// Keep the identity of a synchronised file: right for a replacement, not for a copy.
        public var keepsFileIdentifier = false
        /// String columns with a smaller share of distinct values, in percent, are enumerated.
        public var enumerateBelow: Int?
        /// In bytes.
        public var maxMemory = 64 << 20

        public init() {}
    }

    /// What was written.
    public struct Result: Sendable {
        /// Size of the file.
        public let bytes: UInt64
        public let nodes: Int
        /// Columns that are enumerated now and were not before.
        public let enumerated: Int
        let top: Ref
        let format: Int
    }

    private let snapshot: Snapshot
    private let options: Options
    private let file: SequentialFile
    private let copier: NodeCopier

    private init(
        _ snapshot: Snapshot, _ options: Options, _ descriptor: Int32?, path: String,
        _ progress: @escaping (UInt64) -> Void
    ) {
        self.snapshot = snapshot
        self.options = options
        file = SequentialFile(descriptor, path: path, progress: progress)
        copier = NodeCopier(
            snapshot.lookup, snapshot.database.file.mapping, file, maxMemory: options.maxMemory)
    }

    /// Writes the version `snapshot` sees into the empty file behind `descriptor`, which is synced
    /// at the end and stays open.
    ///
    /// - Parameters:
    ///   - path: names the file in errors.
    ///   - progress: told the bytes written so far, now and then.
    /// - Throws: `corrupt` when the version's nodes form no tree, `output` when the file cannot be
    ///   written.
    public static func write(
        _ snapshot: Snapshot, to descriptor: Int32, path: String, options: Options = Options(),
        progress: @escaping (UInt64) -> Void = { _ in }
    ) throws(RealmError) -> Result {
        try Compactor(snapshot, options, descriptor, path: path, progress).run()
    }

    /// What `write` would do, without a file. Takes as long as reading everything.
    public static func estimate(
        _ snapshot: Snapshot, options: Options = Options()
    ) throws(RealmError) -> Result {
        try Compactor(snapshot, options, nil, path: "", { _ in }).run()
    }

    private func run() throws(RealmError) -> Result {
        let state = snapshot.state
        var enumerated = 0
        var root = Ref.none
        try header(format: state.top == nil ? 0 : state.format)
        if let top = state.top {
            let names = try copier.copy(top.names)
            let tables = try copyTables(top.tables, &enumerated)
            root = try emitRoot(top, names, tables)
        }
        try file.append(root.raw)
        try file.append(FileHeader.footerCookie)
        try file.sync()
        return Result(
            bytes: file.position, nodes: copier.nodes, enumerated: enumerated, top: root,
            format: state.format)
    }

    private func header(format: Int) throws(RealmError) {
        try file.append(FileHeader.streamingMark)
        try file.append(0)
        try file.append(UInt64(0x4244_2D54) | UInt64(format) << 32)
    }

    private func copyTables(_ ref: Ref, _ enumerated: inout Int) throws(RealmError) -> Ref {
        let node = try copier.open(ref)
        guard node.hasRefs else { throw copier.space.wrongShape(ref, "tables") }
        var count = 0
        let result = try copier.emit(node, at: ref) { (slot, child) throws(RealmError) in
            guard let info = snapshot.schema.tables.first(where: { $0.key.slot == slot }) else {
                return try copier.copy(child)
            }
            let values = try distinctValues(info)
            count += values.count
            return try TableCopier(copier, info, enumerated: values).copy(child)
        }
        enumerated = count
        return result
    }

    private func distinctValues(_ info: TableInfo) throws(RealmError) -> [Int: DistinctValues] {
        guard let percent = options.enumerateBelow else { return [:] }
        var found: [Int: DistinctValues] = [:]
        for column in info.columns.indices {
            found[column] = try DistinctValues(
                snapshot.table(info), column: column, below: percent,
                maxMemory: options.maxMemory / 4)
        }
        return found
    }

    /// The history, empty free lists, and the root that holds it all.
    private func emitRoot(
        _ top: TopArray, _ names: Ref, _ tables: Ref
    ) throws(RealmError) -> Ref {
        var history = Ref.none
        if options.keepsHistory, !top.history.isNone { history = try copier.copy(top.history) }
        var slots = [Int64(bitPattern: names.raw), Int64(bitPattern: tables.raw), 0]
        for _ in 0..<3 { slots.append(Int64(bitPattern: try copier.emit([]).raw)) }
        slots.append(Self.tag(top.version))
        if top.historyType != 0 {
            slots.append(Self.tag(top.historyType))
            slots.append(Int64(bitPattern: history.raw))
            slots.append(Self.tag(top.historySchema))
            slots.append(Self.tag(options.keepsFileIdentifier ? top.syncFileID : 0))
        }
        // The size decides the width, and the width the size.
        let start = file.position
        var size = start
        while true {
            slots[2] = Self.tag(size)
            let code = slots.withUnsafeBufferPointer { NodeEncoder.widthCode($0) }
            let payload = NodeView.payloadSize(flags: code, count: slots.count)
            let end = start + UInt64(8 + (payload + 7) & ~7)
            if end == size { break }
            size = end
        }
        return try copier.emit(slots, flags: NodeView.hasRefsFlag)
    }

    private static func tag(_ value: UInt64) -> Int64 { Int64(bitPattern: NodeEncoder.tag(value)) }

    /// Gives a file written by `write` the form that programs may have open while others commit
    /// (storage format 1.3). The descriptor may be any that is open for writing.
    public static func makeTransactional(
        _ result: Result, _ descriptor: Int32, path: String
    ) throws(RealmError) {
        guard !result.top.isNone else { return }
        let file = SequentialFile(descriptor, path: path, progress: { _ in })
        let top = (0..<8).map { UInt8(truncatingIfNeeded: result.top.raw >> ($0 * 8)) }
        try file.overwrite(top, at: 8)
        try file.overwrite([UInt8(truncatingIfNeeded: result.format)], at: 21)
        try file.sync()
        try file.overwrite([1], at: 23)
        try file.sync()
    }
}
