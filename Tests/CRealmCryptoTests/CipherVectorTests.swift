import CRealmCrypto
import Testing

/// Tests published vectors with and without the processor's instructions, and both against each
/// other.
@Suite struct CipherVectorTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).filter { $0 != UInt8(ascii: " ") }
        return stride(from: 0, to: digits.count, by: 2).map { i in
            UInt8(String(decoding: digits[i...(i + 1)], as: UTF8.self), radix: 16)!
        }
    }

    private static func withContext<R>(
        _ key: [UInt8], portable: Bool, _ body: (UnsafePointer<realm_crypto_context>) -> R
    ) -> R {
        var context = realm_crypto_context()
        realm_crypto_prepare(
            &context, key + [UInt8](repeating: 0, count: 64 - key.count), portable ? 1 : 0)
        return withUnsafePointer(to: &context, body)
    }

    @Test(arguments: [false, true]) func aesMatchesTheVectorsOfFIPS197(portable: Bool) {
        // FIPS 197, appendix C.3.
        let key = [UInt8](0..<32)
        let plain = Self.bytes("00112233445566778899aabbccddeeff")
        let cipher = Self.bytes("8ea2b7ca516745bfeafc49904b496089")
        let zeros = [UInt8](repeating: 0, count: 16)
        Self.withContext(key, portable: portable) { context in
            var out = zeros
            realm_crypto_encrypt(context, zeros, plain, &out, 16)
            #expect(out == cipher)
            realm_crypto_decrypt(context, zeros, cipher, &out, 16)
            #expect(out == plain)
        }
    }

    @Test(arguments: [false, true]) func cbcMatchesTheVectorsOfSP80038A(portable: Bool) {
        // SP 800-38A, F.2.5 and F.2.6.
        let key = Self.bytes("603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4")
        let iv = [UInt8](0..<16)
        let plain = Self.bytes(
            """
            6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51 \
            30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
            """)
        let cipher = Self.bytes(
            """
            f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d \
            39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b
            """)
        Self.withContext(key, portable: portable) { context in
            var out = [UInt8](repeating: 0, count: 64)
            realm_crypto_encrypt(context, iv, plain, &out, 64)
            #expect(out == cipher)
            realm_crypto_decrypt(context, iv, cipher, &out, 64)
            #expect(out == plain)
        }
    }

    @Test(arguments: [false, true]) func digestsMatchTheVectorsOfFIPS1804(portable: Bool) {
        // FIPS 180-4, by the examples NIST publishes with it.
        let cases = [
            ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
            ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"
            ),
        ]
        for (text, digest) in cases {
            var out = [UInt8](repeating: 0, count: 28)
            let bytes = Array(text.utf8)
            realm_crypto_sha224(bytes, bytes.count, &out, portable ? 1 : 0)
            #expect(out == Self.bytes(digest), "\(text)")
        }
    }

    @Test(arguments: [false, true]) func hmacMatchesTheVectorsOfRFC4231(portable: Bool) {
        // RFC 4231, sections 4.2 to 4.8, without the truncated digest.
        func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] {
            Array(repeating: byte, count: count)
        }
        let cases: [([UInt8], [UInt8], String)] = [
            (
                repeated(0x0B, 20), Array("Hi There".utf8),
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
            ),
            (
                repeated(0xAA, 20), repeated(0xDD, 50),
                "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea"
            ),
            (
                [UInt8](1...25), repeated(0xCD, 50),
                "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a"
            ),
            (
                repeated(0xAA, 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"
            ),
            (
                repeated(0xAA, 131),
                Array(
                    """
                    This is a test using a larger than block-size key and a larger than \
                    block-size data. The key needs to be hashed before being used by the HMAC \
                    algorithm.
                    """.utf8),
                "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1"
            ),
        ]
        for (key, text, code) in cases {
            var out = [UInt8](repeating: 0, count: 28)
            realm_crypto_hmac_sha224(
                key, key.count, text, text.count, &out, portable ? 1 : 0)
            #expect(out == Self.bytes(code))
        }
    }

    @Test func portableAndAcceleratedFormsAgree() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let key = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) }
            let iv = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            let count = 64 * Int.random(in: 1...64, using: &random)
            let plain = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let (fast, slow) = (
                Self.pass(key, iv, plain, portable: false),
                Self.pass(key, iv, plain, portable: true)
            )
            #expect(fast.cipher == slow.cipher && fast.code == slow.code)
            #expect(fast.plain == plain && slow.plain == plain && fast.cipher != plain)
        }
    }

    /// Encrypts `plain`, decrypts the result and authenticates it.
    private static func pass(
        _ key: [UInt8], _ iv: [UInt8], _ plain: [UInt8], portable: Bool
    ) -> (cipher: [UInt8], plain: [UInt8], code: [UInt8]) {
        withContext(key, portable: portable) { context in
            var cipher = [UInt8](repeating: 0, count: plain.count)
            var back = cipher
            var code = [UInt8](repeating: 0, count: 28)
            realm_crypto_encrypt(context, iv, plain, &cipher, plain.count)
            realm_crypto_decrypt(context, iv, cipher, &back, plain.count)
            realm_crypto_authenticate(context, cipher, cipher.count, &code)
            return (cipher, back, code)
        }
    }

    /// Operations on several messages give the same results as operations on each.
    @Test(arguments: [false, true]) func severalMessagesAtOnceEqualSingleOnes(portable: Bool) {
        var random = SystemRandomNumberGenerator()
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        for (several, count) in [(1, 64), (2, 192), (5, 4096), (Int(realm_crypto_messages), 4096)] {
            let ivs = bytes(16 * several)
            let texts = (0..<several).map { _ in bytes(count) }
            Self.withContext(bytes(64), portable: portable) { context in
                var together = [UInt8](repeating: 0, count: count * several)
                let all = texts.flatMap(\.self)
                all.withUnsafeBufferPointer { all in
                    let from = (0..<several).map { i in all.baseAddress.map { $0 + i * count } }
                    realm_crypto_encrypt_several(context, several, ivs, from, &together, count)
                }
                var codes = (bytes(28), bytes(28))
                realm_crypto_authenticate_pair(
                    context, texts[0], texts[several - 1], count, &codes.0, &codes.1)
                for (i, text) in texts.enumerated() {
                    var (alone, code) = (bytes(count), bytes(28))
                    realm_crypto_encrypt(context, Array(ivs[(16 * i)...]), text, &alone, count)
                    #expect(alone == Array(together[(i * count)..<((i + 1) * count)]))
                    realm_crypto_authenticate(context, text, count, &code)
                    if i == 0 { #expect(code == codes.0) }
                    if i == several - 1 { #expect(code == codes.1) }
                }
            }
        }
    }

    @Test func wipingLeavesZeros() {
        var bytes = [UInt8](repeating: 7, count: 100)
        realm_crypto_wipe(&bytes, bytes.count)
        #expect(bytes == [UInt8](repeating: 0, count: 100))
    }
}
