import Glibc

@testable import RealmEngine

/// Calls `body` with the text's bytes, which are valid only during the call.
func withView<R>(_ text: String, _ body: (ByteView) throws -> R) rethrows -> R {
    try withView([UInt8](text.utf8), body)
}

/// Calls `body` with bytes that end at an unreadable page, so that reading past them crashes.
func withView<R>(_ bytes: [UInt8], _ body: (ByteView) throws -> R) rethrows -> R {
    let page = 4096
    let room = (bytes.count + page - 1) / page * page + page
    let base = mmap(nil, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    defer { munmap(base, room) }
    mprotect(base + room - page, page, PROT_NONE)
    let start = base + room - page - bytes.count
    bytes.withUnsafeBytes {
        if let p = $0.baseAddress { start.copyMemory(from: p, byteCount: $0.count) }
    }
    return try body(ByteView(start, count: bytes.count))
}

/// Returns the text that a function appends to an empty buffer.
func written(_ append: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 64)
    append(&buffer)
    return buffer.string
}

/// SplitMix64: random numbers that can be reproduced from a printed seed.
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

    /// Returns a generator with a new seed, which is printed.
    static func fresh(_ name: String) -> SeededRandom {
        let seed = UInt64.random(in: 0 ... .max)
        print("\(name): seed \(seed)")
        return SeededRandom(seed: seed)
    }
}

extension SeededRandom {
    /// Returns a number from 0 to `n - 1`.
    mutating func below(_ n: Int) -> Int { Int(next() >> 33) % n }
}
