/// Sizes of a file after its commits. Up to some hundred sizes are stored, evenly spaced.
struct GrowthCurve: Sendable, Equatable {
    private static let most = 256

    private(set) var sizes: [Int] = []
    /// Number of commits between two recorded sizes.
    private(set) var stride = 1
    private var seen = 0

    /// Adds the file size after one more commit. Stores the size only if the number of earlier
    /// sizes is a multiple of `stride`. When the array is full, removes every other size and
    /// doubles `stride`.
    mutating func add(_ size: Int) {
        if seen % stride == 0 { sizes.append(size) }
        seen += 1
        guard sizes.count == Self.most else { return }
        sizes = sizes.indices.filter { $0 % 2 == 0 }.map { sizes[$0] }
        stride *= 2
    }
}
