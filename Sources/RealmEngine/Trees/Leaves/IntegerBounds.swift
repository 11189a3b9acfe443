/// Integers that nothing in an index goes beyond, as a commit of this process left them: the next
/// transaction need not look whether new ones that ascend from there are in the index.
///
/// They hold for one version only. Free to cross threads.
struct IntegerBounds: Sendable {
    /// An index of a table, by the leaf index of its column.
    struct Place: Hashable, Sendable {
        let table: TableKey
        let leafIndex: Int
    }

    let version: UInt64
    let largest: [Place: Int64]
}
