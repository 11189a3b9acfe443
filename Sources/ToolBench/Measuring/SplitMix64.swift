import RealmEngine
import ToolKit

/// Generator of the random numbers of a measurement. The sequence depends only on the seed.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return state.mixed
    }

    /// Returns a number from 0 to `bound` - 1; `bound` must be at least 1.
    @inline(__always)
    package mutating func below(_ bound: Int) -> Int {
        // The bias is below 2^-32 for every bound in use, and the same on every machine.
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
