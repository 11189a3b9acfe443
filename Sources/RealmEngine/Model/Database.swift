/// An open database file. Free to cross threads; every thread takes its own `Snapshot` from it.
///
/// Opened immutable: no lock file is opened or created, nothing is written (storage format 6.15).
/// The snapshot read is the one the header selects at the moment of opening; `hasChanged` tells
/// whether a commit landed since, after which what was read may have been overwritten.
public final class Database: Sendable {
    public let path: String
    public let header: FileHeader
    /// Version of the snapshot that was current when the file was opened.
    public let version: UInt64
    public let schema: Schema
    let file: MappedFile
    let top: TopArrayFacts?
    private let raw: RawHeader

    /// Opens the file at `path` without joining a session.
    ///
    /// Throws `input` when the file cannot be read or is no Realm file, `corrupt`, and
    /// `incompatible` for formats other than 20 to 24.
    public convenience init(immutable path: String) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path))
        } catch { throw error.inFile(path) }
    }

    /// Reads all of standard input into an unlinked temporary file and opens that.
    public convenience init(standardInputInto directory: String) throws(RealmError) {
        do throws(RealmError) {
            let spooled = try File.spooled(from: 0, directory: directory)
            try self.init(MappedFile(spooled))
        } catch { throw error.inFile("-") }
    }

    init(_ file: MappedFile) throws(RealmError) {
        self.file = file
        path = file.path
        raw = try file.rawHeader()
        header = try FileHeader(base: file.mapping.base, size: file.size)
        try Self.checkFormat(header)
        guard !header.top.isNone else {
            top = nil
            version = 1
            schema = Schema(tables: [], version: nil)
            return
        }
        let top = try Self.top(file, header.top)
        self.top = TopArrayFacts(top)
        version = top.version
        schema = try Self.schema(file, top)
    }

    private static func top(_ file: MappedFile, _ ref: Ref) throws(RealmError) -> TopArray {
        let memory = SpaceMemory(base: file.mapping.base, limit: UInt64(file.size))
        defer { withExtendedLifetime(memory) {} }
        return try TopArray(memory.lookup, ref, fileSize: file.size)
    }

    /// Reading the schema is a walk: every spec belongs to one table.
    private static func schema(_ file: MappedFile, _ top: TopArray) throws(RealmError) -> Schema {
        let memory = SpaceMemory(base: file.mapping.base, limit: top.logicalSize)
        defer { withExtendedLifetime(memory) {} }
        let tables = try SchemaReader(space: memory.walk, top: top).tables()
        return Schema(tables: tables, version: try schemaVersion(tables, memory.walk))
    }

    /// True when a commit landed since the file was opened.
    public var hasChanged: Bool {
        guard let now = try? file.rawHeader() else { return true }
        return now != raw
    }

    /// A view of this version for the calling thread.
    public func snapshot() -> Snapshot { Snapshot(self) }

    private static func checkFormat(_ header: FileHeader) throws(RealmError) {
        switch header.format {
        case 20...24: return
        case 0 where header.top.isNone: return
        case 2...11:
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "file format \(header.format) is older than this tool reads (20 to 24)",
                hint: "open a copy once with a Realm SDK of version 10 or later, which upgrades it")
        default:
            throw RealmError(
                .incompatible, code: "UnsupportedFileFormatVersion", reason: "unknown-format",
                "file format \(header.format) is unknown (20 to 24 are read)",
                hint: "a newer release of this tool may read it")
        }
    }

    /// The object store's schema version (object format 7.2).
    private static func schemaVersion(
        _ tables: [TableInfo], _ space: NodeSpace
    ) throws(RealmError) -> UInt64? {
        guard let metadata = tables.first(where: { $0.name == "metadata" }),
            let index = metadata.columnIndex(named: "version")
        else { return nil }
        let column = metadata.columns[index]
        guard column.type == .int, column.collection == nil else { return nil }
        var leaves = ClusterTree(space: space, root: metadata.root).leaves()
        guard let leaf = try leaves.next() else { return nil }
        guard case .int(let version) = try leaf.column(column.leafIndex, column.layout).value(0)
        else { return nil }
        return version == -1 ? nil : UInt64(bitPattern: version)
    }
}

/// What the top array says, for reports.
public struct TopArrayFacts: Sendable {
    public let logicalSize: UInt64
    public let historyType: UInt64
    public let historySchema: UInt64

    init(_ top: TopArray) {
        logicalSize = top.logicalSize
        historyType = top.historyType
        historySchema = top.historySchema
    }
}
