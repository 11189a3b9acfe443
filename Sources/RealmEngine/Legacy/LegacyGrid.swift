/// Divides the rows of a table into vectors of at most 256. A leaf of a column has as many rows as
/// its writer chose, usually 1000, and each vector should be inside one leaf of each column.
struct LegacyGrid {
    let rows: Int
    /// Number of rows of a leaf.
    private let leaf: Int
    private let vectorsPerLeaf: Int
    let vectors: Int
    /// First row of each vector, and the number of rows; nil if they are computed.
    private let starts: [Int]?

    /// - Parameter leaf: number of rows of all leaves but the last; nil for a table of one leaf.
    init(rows: Int, leaf: Int?) {
        let full = ClusterLeafShape.maximumObjectCount
        let leaf = leaf.flatMap { $0 < full ? nil : $0 } ?? full
        self.rows = rows
        self.leaf = leaf
        vectorsPerLeaf = (leaf + full - 1) / full
        vectors = max(1, rows / leaf * vectorsPerLeaf + (rows % leaf + full - 1) / full)
        starts = nil
    }

    /// - Parameter starts: first row of each vector, and the number of rows.
    init(starts: [Int]) {
        (rows, vectors, self.starts) = (starts[starts.count - 1], starts.count - 1, starts)
        (leaf, vectorsPerLeaf) = (ClusterLeafShape.maximumObjectCount, 1)
    }

    /// Returns the first row of a vector; the number of rows for the index after the last vector.
    func start(_ vector: Int) -> Int {
        if let starts { return starts[min(vector, vectors)] }
        return min(rows, vector / vectorsPerLeaf * leaf + vector % vectorsPerLeaf * 256)
    }

    func rows(of vector: Int) -> Range<Int> { start(vector)..<start(vector + 1) }
}
