import ToolKit

/// The random choices of a measurement, the same for the same seed everywhere.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z &>> 31)
    }

    /// A number from 0 to `bound` - 1; `bound` is at least 1.
    @inline(__always)
    package mutating func below(_ bound: Int) -> Int {
        // The bias is below 2^-32 for every bound that occurs, and the same on every machine.
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
