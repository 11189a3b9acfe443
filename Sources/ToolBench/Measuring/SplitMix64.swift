import RealmEngine
import ToolKit

/// The random choices of a measurement, the same for the same seed everywhere.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return state.mixed
    }

    /// A number from 0 to `bound` - 1; `bound` is at least 1.
    @inline(__always)
    package mutating func below(_ bound: Int) -> Int {
        // The bias is below 2^-32 for every bound that occurs, and the same on every machine.
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
