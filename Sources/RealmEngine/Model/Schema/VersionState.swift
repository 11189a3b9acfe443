/// Everything that is fixed about one version of a database. Immutable and free to cross threads.
final class VersionState: Sendable {
    let version: UInt64
    let format: Int
    /// Nil for a database without a root: no tables, nothing ever committed.
    let top: TopArray?
    /// Logical size: every node of the version lies below it.
    let limit: UInt64
    let schema: Schema
    /// When it was read, for the pages of an encrypted file.
    let moment: UInt64
    /// For a version that is not in the file yet: its new nodes.
    let nodes: SlabView?
    /// For a version of formats 2 to 9: what makes the nodes its tables are read from.
    let legacy: LegacyNodes?
    /// Leaves found by earlier queries.
    let leaves = LeafDirectories()
    /// What queries keep for the version beside them: theirs to fill, dropped with it.
    let queries = LockedValue<(any AnyObject & Sendable)?>(nil)

    init(
        version: UInt64, format: Int, top: TopArray?, limit: UInt64, schema: Schema,
        moment: UInt64, nodes: SlabView? = nil, legacy: LegacyNodes? = nil
    ) {
        self.moment = moment
        self.version = version
        self.format = format
        self.top = top
        self.limit = limit
        self.schema = schema
        self.nodes = nodes
        self.legacy = legacy
    }

    /// Reads the version whose root is at `ref` of `size` mapped bytes.
    ///
    /// - Parameter earlier: a version that nobody could overwrite since it was read.
    static func read(
        _ mapping: Mapping, size: Int, format: Int, top ref: Ref,
        after earlier: VersionState? = nil
    ) throws(RealmError) -> VersionState {
        let moment = mapping.nextMoment()
        guard !ref.isNone else {
            return VersionState(
                version: 1, format: format, top: nil, limit: UInt64(RawHeader.size),
                schema: Schema(tables: [], version: nil), moment: moment)
        }
        let top = try root(mapping, size: size, ref, moment)
        if FileFormat.legacy.contains(format) {
            return try VersionState(legacy: mapping, format: format, top, moment)
        }
        return VersionState(
            version: top.version, format: format, top: top, limit: top.logicalSize,
            schema: try schema(mapping, top, moment, earlier), moment: moment)
    }

    private static func root(
        _ mapping: Mapping, size: Int, _ ref: Ref, _ moment: UInt64
    ) throws(RealmError) -> TopArray {
        let memory = ReadContext(mapping, limit: UInt64(size), since: moment)
        defer { withExtendedLifetime(memory) {} }
        return try TopArray(memory.lookup, ref, fileSize: size)
    }

    /// Reading the schema is a walk: every spec belongs to one table.
    private static func schema(
        _ mapping: Mapping, _ top: TopArray, _ moment: UInt64, _ earlier: VersionState?
    ) throws(RealmError) -> Schema {
        let memory = ReadContext(mapping, limit: top.logicalSize, since: moment)
        defer { withExtendedLifetime(memory) {} }
        return try SchemaReader(
            space: memory.walk, names: top.names, tables: top.tables,
            known: earlier.flatMap { SchemaReader.Known($0) }
        ).schema()
    }
}
