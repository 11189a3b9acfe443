/// Upper bounds of the integers in search indexes, known after a commit of this process. The next
/// transaction can add larger, ascending integers without looking each of them up.
///
/// Valid for one version only. Free to cross threads.
struct IntegerBounds: Sendable {
    /// An indexed column, identified by its table and by its position in a cluster leaf.
    struct Column: Hashable, Sendable {
        let table: TableKey
        let leafIndex: Int
    }

    let version: UInt64
    let largest: [Column: Int64]
}
