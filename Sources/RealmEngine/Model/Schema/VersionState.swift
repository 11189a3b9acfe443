/// The immutable state of one version of a database. Free to cross threads.
final class VersionState: Sendable {
    let version: UInt64
    let format: Int
    /// The root; nil for a database without one, which has no tables and no commits.
    let top: TopArray?
    /// End of the version: all its nodes are before this offset.
    let limit: UInt64
    let schema: Schema
    /// For an encrypted file, the time at which the version was read, as a number that
    /// `EncryptedPages` counts up. Pages that were decrypted earlier may be outdated and are
    /// compared with the file again.
    let moment: UInt64
    /// Nodes in the slab of a version that is not yet in the file; nil for other versions.
    let nodes: SlabView?
    /// Converted nodes of a version of formats 2 to 9; nil for other formats.
    let legacy: LegacyNodes?
    /// Leaf directories that queries have built.
    let leaves = LeafDirectories()
    /// Cache of the query layer for this version; freed with it.
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

    /// Reads the version whose root is at `ref`, in a file of `size` mapped bytes.
    ///
    /// - Parameter earlier: an earlier version whose nodes have certainly not been overwritten; its
    ///   unchanged tables are reused.
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

    /// Reads the schema with a read budget, which limits the bytes read and so ends reads in
    /// damaged files. A valid file stays within the budget, because each spec belongs to one table
    /// and is read once.
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
