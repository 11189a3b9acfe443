/// Checks one version of a database: compares every node, value, link and index entry with the
/// format.
///
/// Damage never throws and never ends the check. It is reported as a finding, and the check
/// continues with the next readable table, column or subtree. Memory is limited: 1/64 of the used
/// part of the file for extents, one cluster leaf of values at a time, some MiB of index entries,
/// and sums in place of lists of links. Confined to one thread; used once.
public final class IntegrityCheck {
    /// Extent of a check.
    public enum Level: Sendable {
        /// Checks the header, reachability, free space, tables and columns, and the length of the
        /// history.
        case quick
        /// Checks everything, including each value, link and index entry.
        case full
    }

    /// Maximum number of findings that are reported per code. Further findings are only counted.
    static let maximumFindingsPerCode = 100

    let mapping: Mapping
    var base: UnsafeRawPointer { mapping.base }
    let fileSize: Int
    let header: FileHeader
    let topRef: Ref
    let level: Level
    /// Owner of the mapped file, retained while the check exists.
    private let owner: AnyObject

    var report = IntegrityReport()
    /// Receives the progress of the check: first the bytes of the nodes visited for the structure,
    /// then the number of objects read.
    package var meter: ProgressCounter?
    /// Releases pages of the file that the check has read; nil to keep them in memory.
    var releaser: PageReleaser?
    /// Whether findings are ignored. True while parts that were already checked are read again: to
    /// find out which links or index entries differ, after their sums differed.
    var isSilent = false
    /// Table, column and object that are being checked, for the location of a finding.
    var table: String?
    var column: String?
    var object: ObjectKey?

    var top: TopArray?
    var limit: UInt64
    var memory: ReadContext
    /// Node space for reading. It has no read budget as long as the nodes form a tree; after two
    /// nodes were found to overlap, its budget ends cycles.
    var space: NodeSpace { isTree ? memory.lookup : memory.walk }
    var isTree = true
    /// Total size in bytes of all visited nodes. A node that was visited twice counts twice.
    var walkedBytes: UInt64 = 0
    let live = ExtentMap()
    /// Offsets at which nodes begin. Recorded only from the time when two nodes were found to
    /// overlap.
    let starts = ExtentMap()
    /// Whether some nodes were written by engines before format 10. The headers of such nodes begin
    /// with arbitrary bytes.
    var hasUnsignedNodes = false
    /// Number of bits of a key per level of a cluster tree: 8, or 2 if nodes have up to four
    /// elements.
    var keyShift: UInt64 = 8
    var fanOut = FanOutTally()
    /// Number of nested B+tree nodes being visited.
    var openTreeNodes = 0
    /// Number of elements that the check may still visit. It begins with 256 for each byte of the
    /// version, more than a valid file contains, so the check of a damaged file ends.
    private var work = 0
    private var isExhausted = false

    var tables: [CheckedTable] = []
    var tableIndexes: [TableKey: Int] = [:]
    /// Index into `tables` of the table being checked.
    var currentTable: Int?
    /// Whether the objects that are being checked are tombstones, in which links are not allowed.
    var inTombstones = false
    var accounts: [LinkAccount] = []
    /// Number of links counted in the current table.
    var linkCount = 0
    /// For each table and each of its columns: a dictionary from the target tables of the column's
    /// links to indexes in `accounts`.
    var columnTargets: [[[TableKey: Int]]] = []
    /// The dictionary in `columnTargets` for the column that is being checked. Its keys are target
    /// tables, its values indexes in `accounts`.
    var targets: [TableKey: Int] = [:] { didSet { lastTarget = nil } }
    /// The most recently used entry of `targets`.
    var lastTarget: (table: TableKey, account: Int)?
    /// The `LinkAccount` whose links and backlinks are read a second time, because the sum over its
    /// links differs from the sum over its backlinks. `account` is its index in `accounts`; `pairs`
    /// collects the links and backlinks without a counterpart. Nil at other times.
    var difference: (account: Int, pairs: PairDifference)?
    /// Number of nodes and their total size in bytes, for each table slot.
    var usage: [(nodes: Int, bytes: UInt64)] = []
    var tableSlot: Int?

    /// Checks the version of `snapshot`.
    public convenience init(_ snapshot: Snapshot, level: Level = .full) {
        let file = snapshot.database.file
        let mapping = file.mapping
        var header = snapshot.database.header
        // The database was opened before the first commit stored the file's format.
        if header.format == 0, let now = try? file.header(file.rawHeader(), size: mapping.mapped) {
            header = now
        }
        self.init(
            mapping, fileSize: max(file.size, mapping.mapped), header: header,
            top: snapshot.state.top?.ref ?? .none, level: level,
            owner: snapshot)
    }

    /// Checks the newest version that `database` has read.
    public convenience init(_ database: Database, level: Level = .full) {
        self.init(database.snapshot(), level: level)
    }

    /// Checks the file at `path`, even if it is too damaged to be opened as a database.
    ///
    /// - Throws: `input` if the file cannot be read or is no Realm file.
    public static func run(
        path: String, level: Level = .full, key: EncryptionKey? = nil, meter: ProgressCounter? = nil
    ) throws(RealmError) -> IntegrityReport {
        do throws(RealmError) {
            return try run(MappedFile(path: path, DatabaseKey(key)), level: level, meter: meter)
        } catch { throw error.inFile(path) }
    }

    static func run(
        _ file: MappedFile, level: Level = .full, meter: ProgressCounter? = nil
    ) throws(RealmError) -> IntegrityReport {
        let header: FileHeader
        let size: Int
        do throws(RealmError) {
            let raw = try file.rawHeader()
            size = try file.extendToEnd()
            header = try file.header(raw, size: size)
        } catch {
            guard error.isDamage else { throw error }
            return headerOnly(error)
        }
        let check = IntegrityCheck(
            file.mapping, fileSize: size, header: header, top: header.top,
            level: level, owner: file)
        check.meter = meter
        return check.run()
    }

    init(
        _ mapping: Mapping, fileSize: Int, header: FileHeader, top: Ref, level: Level,
        owner: AnyObject
    ) {
        self.mapping = mapping
        self.fileSize = fileSize
        self.header = header
        topRef = top
        self.level = level
        self.owner = owner
        limit = UInt64(fileSize)
        memory = ReadContext(mapping, limit: limit)
    }

    /// Returns a report with one finding about the header.
    package static func headerOnly(_ error: RealmError) -> IntegrityReport {
        var report = IntegrityReport()
        report.counts[.header] = 1
        report.findings = [
            IntegrityReport.Finding(
                code: .header, location: IntegrityReport.Location(ref: Ref(0)), what: error.message)
        ]
        return report
    }

    /// Runs the check and returns its report.
    public func run() -> IntegrityReport {
        checkVersion()
        if let other = checkOfSmallTrees() { report = other }
        checkBlocks()
        return report
    }

    /// Checks the same version again on the assumption that nodes have up to four elements. Returns
    /// the report if it has no errors; nil otherwise, or if some node has more than four elements.
    private func checkOfSmallTrees() -> IntegrityReport? {
        guard report.errorCount > 0, level == .full, keyShift == 8, let node = fanOut.smallTree
        else { return nil }
        let other = IntegrityCheck(
            mapping, fileSize: fileSize, header: header, top: topRef, level: level, owner: owner)
        other.keyShift = FanOutTally.smallShift
        other.checkVersion()
        guard other.report.errorCount == 0 else { return nil }
        other.found(
            .fanOut, node,
            "trees of 4 elements per node, as test builds of the reference engine make them: other "
                + "programs, this one included, see other object keys and links")
        return other.report
    }

    private func checkVersion() {
        guard checkHeader(), let top = openTop() else { return }
        work = 256 &* Int(limit) &+ 1 << 20
        meter?.begin(.bytes, total: Int(liveBytes(top)))
        checkStructure()
        memory.walk.state.pointee.budget = 64 &* Int(limit) &+ 1 << 20
        checkFreeSpace(top)
        if isLegacy { return checkLegacy(top) }
        checkDirectory(top)
        checkHistory(top)
        if level == .full {
            prepareLinks()
            meter?.begin(.objects, total: announcedObjects)
            for i in tables.indices { checkObjects(i) }
            checkLinks()
            for i in tables.indices { checkIndexes(i) }
        } else {
            countObjects()
        }
        report.facts.tables = tables.map(\.facts)
    }

    /// Number of bytes that are not in the free list.
    private func liveBytes(_ top: TopArray) -> UInt64 {
        let free = (try? FreeSpace.chunks(memory.lookup, top)) ?? []
        let total = free.reduce(0) { $0 &+ $1.count }
        return limit > total ? limit - total : limit
    }

    private var announcedObjects: Int {
        tables.reduce(0) { sum, table in
            let tree = ClusterTree(space: memory.lookup, root: table.root)
            return sum &+ ((try? tree.count()) ?? 0)
        }
    }

    /// Sets the counts of objects and tombstones from the roots of the trees, without visiting
    /// leaves.
    private func countObjects() {
        for i in tables.indices {
            let table = tables[i]
            tables[i].facts.objects =
                reading(table.root) { () throws(RealmError) in
                    try ClusterTree(space: space, root: table.root).count()
                } ?? 0
            tables[i].facts.tombstones =
                reading(table.tombstones) { () throws(RealmError) in
                    try ClusterTree(space: space, root: table.tombstones).count()
                } ?? 0
            tables[i].facts.indexes = table.columns.count { !$0.indexRoot.isNone }
        }
    }

    // MARK: Findings

    /// Adds a finding. The text is only built if the finding is reported. This function is inlined
    /// for that purpose; `keep` is not, because 200 inlined copies took 150 KB of code.
    @inline(__always)
    func found(
        _ code: IntegrityReport.Code, _ ref: Ref? = nil, _ what: @autoclosure () -> String
    ) {
        if isKept(code) { keep(code, ref, what()) }
    }

    @inline(never)
    private func isKept(_ code: IntegrityReport.Code) -> Bool {
        if isSilent { return false }
        if code.hidesContent, let currentTable { tables[currentTable].isIncomplete = true }
        let count = report.counts[code, default: 0]
        report.counts[code] = count + 1
        return count < Self.maximumFindingsPerCode
    }

    @inline(never)
    private func keep(_ code: IntegrityReport.Code, _ ref: Ref?, _ what: String) {
        let location = IntegrityReport.Location(
            ref: ref, table: table, column: column, object: object)
        report.findings.append(IntegrityReport.Finding(code: code, location: location, what: what))
    }

    /// Runs `body`. If it throws, adds a finding and returns nil.
    func reading<T>(
        _ ref: Ref, _ code: IntegrityReport.Code = .unreadable,
        _ body: () throws(RealmError) -> T
    ) -> T? {
        do throws(RealmError) { return try body() } catch {
            // Once the read budget is spent, every read of a node throws.
            if !isTree, memory.walk.state.pointee.budget < 0 {
                if let currentTable { tables[currentTable].isIncomplete = true }
                exhausted("a damaged tree that leads to the same nodes again and again")
            } else {
                found(code, ref, error.message)
            }
            return nil
        }
    }

    /// Opens the node at `ref`. If it cannot be opened, adds a finding and returns nil.
    func node(_ ref: Ref, _ code: IntegrityReport.Code) -> NodeView? {
        reading(ref, code) { () throws(RealmError) in try space.node(ref) }
    }

    /// Charges `count` elements to the read budget. Returns false if the file is too small to
    /// contain that many elements.
    func spend(_ count: Int) -> Bool {
        work &-= count
        if work >= 0 { return true }
        if let currentTable { tables[currentTable].isIncomplete = true }
        exhausted("more elements than a file of this size can hold")
        return false
    }

    private func exhausted(_ why: String) {
        if isSilent || isExhausted { return }
        isExhausted = true
        found(.incomplete, nil, why)
    }
}
