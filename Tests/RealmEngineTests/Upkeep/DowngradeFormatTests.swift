import Testing

@testable import RealmEngine

/// Sort orders and hashes of formats 20 to 23.
@Suite struct DowngradeFormatTests {
    private static func view<R>(_ text: String, _ body: (ByteView) -> R) -> R {
        Array(text.utf8).withUnsafeBytes { bytes in
            body(bytes.baseAddress.map { ByteView($0, count: bytes.count) } ?? .empty)
        }
    }

    private static func string(_ text: String) -> Value {
        view(text) { .string(ByteArena.forTests.copy($0)) }
    }

    /// Hashes that realm-core computes for the first bytes of a text.
    @Test(
        arguments: [
            (0, 0x9ae1_6a3b_2f90_404f), (1, 0x2420_662c_d003_acfa), (2, 0xc184_ccf6_65c6_3a49),
            (3, 0x816f_7e08_debe_3075), (4, 0x06c4_7624_144d_032b), (5, 0x35fa_de5a_4e51_10cf),
            (7, 0xce91_fe78_d57b_af0f), (8, 0x6944_a585_70f1_d178), (9, 0x4442_839d_a1c6_411a),
            (12, 0xb03b_30e6_ea2e_de75), (16, 0xaa78_f3b9_edd8_4e0e), (17, 0x7067_d583_b2e6_2abc),
            (24, 0x2ce2_f704_7571_3461), (32, 0x7956_6da1_48ef_db90), (33, 0x6529_aab1_2af9_4768),
            (40, 0xcdcd_ee4b_a1b4_f5b2), (64, 0x3599_6541_ac56_60f4), (65, 0x3f05_b536_18ee_f03e),
            (100, 0xa55d_ee65_de42_8689), (127, 0x32e6_3483_c298_8d9e),
            (128, 0xac84_6330_ebf7_4e5b), (129, 0xf1ea_93f5_d57b_6049),
            (150, 0xdbb6_3d95_dbcf_6db7),
        ] as [(Int, UInt64)])
    func hashesDictionaryKeysLikeTheReference(_ count: Int, _ hash: UInt64) {
        let text = (0..<150).map { UInt8(ascii: "a") + UInt8($0 * 7 % 26) }
        text.withUnsafeBytes { bytes in
            #expect(DictionaryHash.hash(ByteView(bytes.baseAddress!, count: count)) == hash)
        }
    }

    @Test func hashesPrimaryKeysLikeTheReference() {
        #expect(
            Self.view("abc") { SHA1.hash($0) }
                == [0xa999_3e36, 0x4706_816a, 0xba3e_2571, 0x7850_c26c, 0x9cd0_d89d])
        #expect(Self.view("") { SHA1.hash($0) }.first == 0xda39_a3ee)
        let long = String(repeating: "a", count: 1000)
        #expect(Self.view(long) { SHA1.hash($0) }.first == 0x291e_9a6c)
        // Values of object format, appendix A.
        #expect(ObjectKey(hashing: Self.string("adam"))?.raw == 3_171_638_181_778_167_822)
        #expect(ObjectKey(hashing: .int(5))?.raw == 5)
        #expect(ObjectKey(hashing: .int(-1))?.raw == 0x3FFF_FFFF_FFFF_FFFF)
        #expect(ObjectKey(hashing: .null)?.raw == 0)
    }

    /// Letters of the same shape are adjacent; beyond U+024F, code points determine the order.
    @Test func ordersTextLikeTheReference() {
        let texts = ["", "-", "1", "10", "2", "a", "aá", "Aa", "b", "z", "Z", "\u{0391}", "日"]
        for (i, a) in texts.enumerated() {
            for (j, b) in texts.enumerated() {
                let order = Self.view(a) { x in Self.view(b) { LegacyTextOrder.compare(x, $0) } }
                #expect(order.signum() == (i - j).signum(), "\(a) \(b)")
            }
        }
    }

    @Test func ordersMixedValuesLikeTheReference() throws {
        let bytes = [UInt8](repeating: 0x41, count: 2)
        try bytes.withUnsafeBytes { buffer in
            let binary = Value.binary(ByteView(buffer.baseAddress!, count: 2))
            let (newer, older) = (
                try #require(DowngradeFormat(23)), try #require(DowngradeFormat(22))
            )
            #expect(newer.compareMixed(Self.string("z"), binary) < 0)
            #expect(older.compareMixed(Self.string("z"), binary) > 0)
            #expect(older.compareMixed(Self.string("A"), binary) < 0)
            #expect(newer.compareIndexed(Self.string("AA"), binary) < 0)
            #expect(newer.compareIndexed(Self.string("AB"), binary) > 0)
            #expect(newer.compareIndexed(Self.string("é"), Self.string("a")) < 0)
        }
        #expect(DowngradeFormat(19) == nil && DowngradeFormat(24) == nil)
    }

    @Test func ordersBytesAsSignedNumbers() throws {
        let format = try #require(DowngradeFormat(23))
        #expect(format.ascends(Self.string("é"), Self.string("a"), in: .string))
        #expect(format.ascends(.null, Self.string(""), in: .string))
        #expect(!format.ascends(Self.string("a"), Self.string("a"), in: .string))
    }
}

extension ByteArena {
    fileprivate nonisolated(unsafe) static let forTests = ByteArena()
}
