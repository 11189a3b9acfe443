/// XXH64, a fast 64-bit hash of a sequence of bytes. The result is the same on every machine and in
/// every release, and does not depend on how the bytes are divided into calls of `update`.
///
/// Detects accidental changes, not deliberate ones.
package struct ContentHash {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private let seed: UInt64
    private var lanes: SIMD4<UInt64>
    /// The last bytes of the input that do not fill a stripe. The hash processes its input in
    /// stripes of 32 bytes.
    private var stripe = SIMD4<UInt64>()
    private var total: UInt64 = 0

    package init(seed: UInt64 = 0) {
        self.seed = seed
        lanes = SIMD4(
            seed &+ Self.prime1 &+ Self.prime2, seed &+ Self.prime2, seed, seed &- Self.prime1)
    }

    package mutating func update(_ bytes: ByteView) { update(bytes.buffer) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard var p = bytes.baseAddress else { return }
        var rest = bytes.count
        let begun = Int(total & 31)
        total &+= UInt64(rest)
        if begun > 0 {
            let taken = min(32 &- begun, rest)
            fill(from: begun, p, taken)
            if begun &+ taken < 32 { return }
            mix(stripe)
            p += taken
            rest &-= taken
        }
        while rest >= 32 {
            mix(p.loadUnaligned(as: SIMD4<UInt64>.self))
            p += 32
            rest &-= 32
        }
        if rest > 0 { fill(from: 0, p, rest) }
    }

    /// Continues the hash with the eight bytes of `value`, the least significant first.
    package mutating func update(_ value: UInt64) {
        let begun = Int(total & 31)
        if begun & 7 == 0 {
            stripe[begun >> 3] = value.littleEndian
            total &+= 8
            if begun == 24 { mix(stripe) }
        } else {
            withUnsafeBytes(of: value.littleEndian) { update($0) }
        }
    }

    package mutating func update(_ byte: UInt8) { withUnsafeBytes(of: byte) { update($0) } }

    /// The hash of all bytes added so far. More bytes may be added afterwards.
    package var value: UInt64 {
        var hash = total >= 32 ? mergedLanes : seed &+ Self.prime5
        hash &+= total
        let begun = Int(total & 31)
        withUnsafeBytes(of: stripe) { bytes in
            var position = 0
            while position &+ 8 <= begun {
                let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                hash ^= Self.round(0, UInt64(littleEndian: word))
                hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
                position &+= 8
            }
            if position &+ 4 <= begun {
                let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                hash ^= UInt64(UInt32(littleEndian: word)) &* Self.prime1
                hash = Self.rotate(hash, 23) &* Self.prime2 &+ Self.prime3
                position &+= 4
            }
            while position < begun {
                hash ^= UInt64(bytes[position]) &* Self.prime5
                hash = Self.rotate(hash, 11) &* Self.prime1
                position &+= 1
            }
        }
        hash = (hash ^ hash >> 33) &* Self.prime2
        hash = (hash ^ hash >> 29) &* Self.prime3
        return hash ^ hash >> 32
    }

    private var mergedLanes: UInt64 {
        var hash =
            Self.rotate(lanes.x, 1) &+ Self.rotate(lanes.y, 7) &+ Self.rotate(lanes.z, 12)
            &+ Self.rotate(lanes.w, 18)
        for i in 0..<4 {
            hash = (hash ^ Self.round(0, lanes[i])) &* Self.prime1 &+ Self.prime4
        }
        return hash
    }

    @inline(__always)
    private mutating func fill(from position: Int, _ p: UnsafeRawPointer, _ count: Int) {
        withUnsafeMutableBytes(of: &stripe) {
            ($0.baseAddress! + position).copyMemory(from: p, byteCount: count)
        }
    }

    @inline(__always)
    private mutating func mix(_ words: SIMD4<UInt64>) {
        lanes.x = Self.round(lanes.x, UInt64(littleEndian: words.x))
        lanes.y = Self.round(lanes.y, UInt64(littleEndian: words.y))
        lanes.z = Self.round(lanes.z, UInt64(littleEndian: words.z))
        lanes.w = Self.round(lanes.w, UInt64(littleEndian: words.w))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value &<< count | value &>> (64 &- count)
    }
}
