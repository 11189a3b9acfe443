@testable import RealmEngine

/// The text as the engine sees stored text: bytes that live as long as the call.
func withView<R>(_ text: String, _ body: (ByteView) throws -> R) rethrows -> R {
    try withView([UInt8](text.utf8), body)
}

/// Exactly the bytes, at the end of their allocation, so that reading further is noticed by tools
/// that watch memory.
func withView<R>(_ bytes: [UInt8], _ body: (ByteView) throws -> R) rethrows -> R {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(ByteView(UnsafeRawPointer(copy.baseAddress!), count: bytes.count))
}

/// What a function appends to an empty buffer.
func written(_ append: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 64)
    append(&buffer)
    return buffer.string
}

/// SplitMix64: random numbers that a printed seed brings back.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// A generator with a fresh seed, which it prints.
    static func fresh(_ name: String) -> SeededRandom {
        let seed = UInt64.random(in: 0 ... .max)
        print("\(name): seed \(seed)")
        return SeededRandom(seed: seed)
    }
}
