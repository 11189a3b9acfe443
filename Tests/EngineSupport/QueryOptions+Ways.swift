@testable import RealmEngine

extension QueryOptions {
    /// All combinations of evaluating with or without indexes, kernels and the fast path for sets.
    static let ways = (UInt8(0)..<8).map { QueryOptions(way: $0) }

    /// Makes a combination from the bits of its number.
    init(way bits: UInt8) {
        self.init()
        usesIndexes = bits & 1 == 0
        usesKernels = bits & 2 == 0
        evaluatesPathsFromFarEnd = bits & 4 == 0
    }
}
