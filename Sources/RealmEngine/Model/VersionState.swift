/// Everything that is fixed about one version of a database. Immutable and free to cross threads.
final class VersionState: Sendable {
    let version: UInt64
    let format: Int
    /// Nil for a database without a root: no tables, nothing ever committed.
    let top: TopArray?
    /// Logical size: every node of the version lies below it.
    let limit: UInt64
    let schema: Schema
    /// For a version that is not in the file yet: its new nodes.
    let nodes: SlabView?
    /// Leaves found by earlier queries.
    let leaves = LeafDirectories()
    /// What queries keep for the version beside them: theirs to fill, dropped with it.
    let queries = Guarded<(any AnyObject & Sendable)?>(nil)

    init(
        version: UInt64, format: Int, top: TopArray?, limit: UInt64, schema: Schema,
        nodes: SlabView? = nil
    ) {
        self.version = version
        self.format = format
        self.top = top
        self.limit = limit
        self.schema = schema
        self.nodes = nodes
    }

    /// Reads the version whose root is at `ref` of `size` mapped bytes at `base`.
    ///
    /// - Parameter earlier: a version that nobody could overwrite since it was read.
    static func read(
        base: UnsafeRawPointer, size: Int, format: Int, top ref: Ref,
        after earlier: VersionState? = nil
    ) throws(RealmError) -> VersionState {
        guard !ref.isNone else {
            return VersionState(
                version: 1, format: format, top: nil, limit: UInt64(RawHeader.size),
                schema: Schema(tables: [], version: nil))
        }
        let top = try root(base: base, size: size, ref)
        return VersionState(
            version: top.version, format: format, top: top, limit: top.logicalSize,
            schema: try schema(base: base, top, earlier))
    }

    private static func root(
        base: UnsafeRawPointer, size: Int, _ ref: Ref
    ) throws(RealmError) -> TopArray {
        let memory = SpaceMemory(base: base, limit: UInt64(size))
        defer { withExtendedLifetime(memory) {} }
        return try TopArray(memory.lookup, ref, fileSize: size)
    }

    /// Reading the schema is a walk: every spec belongs to one table.
    private static func schema(
        base: UnsafeRawPointer, _ top: TopArray, _ earlier: VersionState?
    ) throws(RealmError) -> Schema {
        let memory = SpaceMemory(base: base, limit: top.logicalSize)
        defer { withExtendedLifetime(memory) {} }
        return try SchemaReader(
            space: memory.walk, names: top.names, tables: top.tables,
            known: earlier.flatMap { SchemaReader.Known($0) }
        ).schema()
    }
}
