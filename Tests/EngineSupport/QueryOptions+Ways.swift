@testable import RealmEngine

extension QueryOptions {
    /// Every way a query can take: with indexes, kernels and the hurry of sets, and without each.
    static let ways = (UInt8(0)..<8).map { QueryOptions(way: $0) }

    /// One of them, by the bits of its number.
    init(way bits: UInt8) {
        self.init()
        usesIndexes = bits & 1 == 0
        usesKernels = bits & 2 == 0
        hurriesSets = bits & 4 == 0
    }
}
