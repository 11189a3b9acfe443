/// Upper bounds of the integers in search indexes after a commit of this process. The next
/// transaction can insert larger, ascending integers without a search in the index.
///
/// Valid for one version only. Free to cross threads.
struct IntegerBounds: Sendable {
    /// An index, identified by table and leaf index of its column.
    struct Column: Hashable, Sendable {
        let table: TableKey
        let leafIndex: Int
    }

    let version: UInt64
    let largest: [Column: Int64]
}
