/// Immutable state of one version of a database. Free to cross threads.
final class VersionState: Sendable {
    let version: UInt64
    let format: Int
    /// Nil for a database without a root, which has no tables and no commits.
    let top: TopArray?
    /// Logical size: every node of the version is below this offset.
    let limit: UInt64
    let schema: Schema
    /// Moment of reading, for the pages of an encrypted file.
    let moment: UInt64
    /// New nodes of a version that is not in the file yet; nil for others.
    let nodes: SlabView?
    /// Converted nodes of a version of formats 2 to 9; nil for others.
    let legacy: LegacyNodes?
    /// Leaves that earlier queries found.
    let leaves = LeafDirectories()
    /// Cache of the query layer for this version, freed with it.
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

    /// Reads the version with the root at `ref` from `size` mapped bytes.
    ///
    /// - Parameter earlier: a version that cannot have been overwritten since it was read.
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

    /// Counts as a walk for the read budget, because every spec belongs to one table.
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
