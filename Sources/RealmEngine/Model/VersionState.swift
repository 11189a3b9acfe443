/// Everything that is fixed about one version of a database. Immutable and free to cross threads.
final class VersionState: Sendable {
    let version: UInt64
    let format: Int
    /// Nil for a database without a root: no tables, nothing ever committed.
    let top: TopArray?
    /// Logical size: every node of the version lies below it.
    let limit: UInt64
    let schema: Schema

    init(version: UInt64, format: Int, top: TopArray?, limit: UInt64, schema: Schema) {
        self.version = version
        self.format = format
        self.top = top
        self.limit = limit
        self.schema = schema
    }

    /// Reads the version whose root is at `ref` of `size` mapped bytes at `base`.
    static func read(
        base: UnsafeRawPointer, size: Int, format: Int, top ref: Ref
    ) throws(RealmError) -> VersionState {
        guard !ref.isNone else {
            return VersionState(
                version: 1, format: format, top: nil, limit: UInt64(RawHeader.size),
                schema: Schema(tables: [], version: nil))
        }
        let whole = SpaceMemory(base: base, limit: UInt64(size))
        let top = try TopArray(whole.lookup, ref, fileSize: size)
        let bounded = SpaceMemory(base: base, limit: top.logicalSize)
        return VersionState(
            version: top.version, format: format, top: top, limit: top.logicalSize,
            schema: try SchemaReader(
                space: bounded.lookup, names: top.names, tables: top.tables
            ).schema())
    }
}
