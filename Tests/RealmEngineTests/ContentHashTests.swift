import Testing

@testable import EngineSupport
@testable import RealmEngine

private func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    var hash = ContentHash(seed: seed)
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.value
}

@Suite struct ContentHashTests {
    /// The buffer and results of the reference implementation's self-test.
    @Test func matchesThePublishedVectors() {
        var (bytes, state) = ([UInt8](), UInt64(2_654_435_761))
        for _ in 0..<222 {
            bytes.append(UInt8(state >> 56))
            state &*= 11_400_714_785_074_694_797
        }
        let vectors: [(Int, UInt64, UInt64)] = [
            (0, 0xEF46_DB37_51D8_E999, 0xAC75_FDA2_929B_17EF),
            (1, 0xE934_A84A_DB05_2768, 0x5014_6076_43A9_B4C3),
            (4, 0x9136_A0DC_A574_57EE, 0xCAAB_286B_D8E9_FDB5),
            (14, 0x8282_DCC4_994E_35C8, 0xC3BD_6BF6_3DEB_6DF0),
            (222, 0xB641_AE8C_B691_C174, 0x20CB_8AB7_AE10_C14A),
        ]
        for (count, plain, seeded) in vectors {
            #expect(hash(Array(bytes.prefix(count))) == plain)
            #expect(hash(Array(bytes.prefix(count)), seed: 2_654_435_761) == seeded)
        }
        #expect(hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
        #expect(
            hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
    }

    /// All lengths around the stripe size; the reference implementation computed the combined
    /// result.
    @Test func matchesTheReferenceAtEveryLength() {
        var folded: UInt64 = 0
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
            folded ^= hash(bytes, seed: UInt64(count))
        }
        #expect(folded == 0x3517_EEDE_48E7_49C5)
    }

    @Test func hashDoesNotDependOnThePieces() {
        var random = SeededRandom.fresh("hash")
        for _ in 0..<500 {
            var (bytes, pieces) = ([UInt8](), ContentHash())
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    let value = random.next()
                    pieces.update(value)
                    for i in 0..<8 {
                        bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i)))
                    }
                case 1:
                    let byte = UInt8(truncatingIfNeeded: random.next())
                    pieces.update(byte)
                    bytes.append(byte)
                default:
                    let count = Int.random(in: 0..<80, using: &random)
                    let more = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    withView(more) { pieces.update($0) }
                    bytes += more
                }
                #expect(pieces.value == hash(bytes))
            }
        }
    }
}
