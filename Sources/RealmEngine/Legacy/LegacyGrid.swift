/// Division of a table's rows into vectors of at most 256 rows. The engine that wrote the file
/// chose the number of rows in a leaf of a column, usually 1000. Vectors are divided so that, in
/// each column, all values of a vector are in one leaf.
struct LegacyGrid {
    let rows: Int
    /// Number of rows in each leaf of a column.
    private let leaf: Int
    private let vectorsPerLeaf: Int
    let vectors: Int
    /// First row of each vector (a range of at most 256 rows), followed by the number of rows. Nil
    /// if `start` computes the first rows from `leaf`.
    private let starts: [Int]?

    /// - Parameter leaf: number of rows in each leaf except the last; nil for a table of one leaf.
    init(rows: Int, leaf: Int?) {
        let full = ClusterLeafShape.maximumObjectCount
        let leaf = leaf.flatMap { $0 < full ? nil : $0 } ?? full
        self.rows = rows
        self.leaf = leaf
        vectorsPerLeaf = (leaf + full - 1) / full
        vectors = max(1, rows / leaf * vectorsPerLeaf + (rows % leaf + full - 1) / full)
        starts = nil
    }

    /// - Parameter starts: first row of each vector (a range of at most 256 rows), followed by the
    ///   number of rows.
    init(starts: [Int]) {
        (rows, vectors, self.starts) = (starts[starts.count - 1], starts.count - 1, starts)
        (leaf, vectorsPerLeaf) = (ClusterLeafShape.maximumObjectCount, 1)
    }

    /// Returns the first row of a vector, a range of at most 256 rows. For the index after the last
    /// vector, returns the number of rows.
    func start(_ vector: Int) -> Int {
        if let starts { return starts[min(vector, vectors)] }
        return min(rows, vector / vectorsPerLeaf * leaf + vector % vectorsPerLeaf * 256)
    }

    func rows(of vector: Int) -> Range<Int> { start(vector)..<start(vector + 1) }
}
