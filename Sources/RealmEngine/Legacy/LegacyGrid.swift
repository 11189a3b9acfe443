/// How the rows of a table are cut into vectors of at most 256: a leaf of its columns is as long as the
/// writer liked, mostly 1000, and each vector is to lie in one leaf of each column.
struct LegacyGrid {
    let rows: Int
    /// Rows of a leaf.
    private let leaf: Int
    private let vectorsPerLeaf: Int
    let vectors: Int

    /// - Parameter leaf: rows of all leaves but the last; nil for a table of one leaf.
    init(rows: Int, leaf: Int?) {
        let full = ClusterLeaf.maximumCount
        let leaf = leaf.flatMap { $0 < full ? nil : $0 } ?? full
        self.rows = rows
        self.leaf = leaf
        vectorsPerLeaf = (leaf + full - 1) / full
        vectors = max(1, rows / leaf * vectorsPerLeaf + (rows % leaf + full - 1) / full)
    }

    /// The first row of a vector; the number of rows for one behind the last.
    func start(_ vector: Int) -> Int {
        min(rows, vector / vectorsPerLeaf * leaf + vector % vectorsPerLeaf * 256)
    }

    func rows(of vector: Int) -> Range<Int> { start(vector)..<start(vector + 1) }
}
