@testable import RealmEngine

extension QueryOptions {
    /// All combinations of evaluating with or without indexes, with or without kernels over packed
    /// leaves, and with paths always followed backwards from the objects at their end or not.
    static let ways = (UInt8(0)..<8).map { QueryOptions(way: $0) }

    /// Creates one of the eight combinations: each bit of its number switches one option off.
    init(way bits: UInt8) {
        self.init()
        usesIndexes = bits & 1 == 0
        usesKernels = bits & 2 == 0
        evaluatesPathsFromFarEnd = bits & 4 == 0
    }
}
