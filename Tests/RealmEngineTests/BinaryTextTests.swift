import Testing

@testable import EngineSupport
@testable import RealmEngine

private func decoded(
    _ text: String, _ decode: (inout ByteBuffer, ByteView) -> Bool
) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: 64)
    let isValid = withView(text) { decode(&buffer, $0) }
    if !isValid {
        #expect(buffer.count == 0)
        return nil
    }
    return [UInt8](buffer.bytes)
}

private func base64(_ text: String) -> [UInt8]? {
    decoded(text) { $0.append(decodingBase64: $1) }
}

private func hex(_ text: String) -> [UInt8]? { decoded(text) { $0.append(decodingHex: $1) } }

@Suite struct BinaryTextTests {
    /// Test vectors of RFC 4648, section 10.
    @Test func base64MatchesTheVectorsOfRFC4648() {
        let pairs = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
        for (plain, encoded) in pairs {
            withView(plain) { view in
                #expect(written { $0.append(base64: view) } == encoded)
            }
            #expect(base64(encoded) == Array(plain.utf8))
            #expect(base64(encoded.filter { $0 != "=" }) == Array(plain.utf8))
        }
        for bad in [
            "Z", "Zg=", "Zg===", "Z===", "====", "=", "Zm9vY", "Zm 9", "Zm-_", "Z=g=", "Zm9v=",
        ] {
            #expect(base64(bad) == nil, "\(bad)")
        }
    }

    @Test func base64AndHexRoundTripBytes() {
        var random = SeededRandom.fresh("bytes")
        for length in 0...70 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            let encoded = withView(bytes) { view in written { $0.append(base64: view) } }
            #expect(base64(encoded) == bytes)
            let digits = withView(bytes) { view in written { $0.append(hex: view) } }
            #expect(hex(digits) == bytes && hex(digits.uppercased()) == bytes)
        }
        #expect(hex("0") == nil && hex("0g") == nil && hex("00ff")! == [0, 255])
        for byte in UInt8.min ... .max {
            let character = String(UnicodeScalar(byte))
            let isDigit = character.utf8.count == 1 && character.first!.isHexDigit
            #expect((hex("0" + character) != nil) == isDigit)
        }
    }

    @Test func identifiersRoundTripAsText() {
        var random = SeededRandom.fresh("identifiers")
        let uuid = "3b241101-e2bb-4255-8caf-4136c566a962"
        withView(uuid) { view in
            let value = UUIDValue(text: view)!
            #expect(value.high == 0x3B24_1101_E2BB_4255 && value.low == 0x8CAF_4136_C566_A962)
            #expect(written { $0.append(value) } == uuid)
        }
        for _ in 0..<500 {
            let value = UUIDValue(high: random.next(), low: random.next())
            let text = written { $0.append(value) }
            withView(text.uppercased()) { #expect(UUIDValue(text: $0) == value) }
            let id = ObjectID(high: random.next(), low: UInt32(truncatingIfNeeded: random.next()))
            let digits = written { $0.append(id) }
            #expect(text.count == 36 && digits.count == 24)
            withView(digits) { #expect(ObjectID(text: $0) == id) }
        }
        let low = ObjectID(high: 1, low: 2)
        #expect(written { $0.append(low) } == "000000000000000100000002")
        #expect(written { $0.append(hex: UInt64(0xAB)) } == "00000000000000ab")
        for bad in [
            "", uuid + "0", uuid.filter { $0 != "-" }, "3b241101-e2bb-4255-8caf-4136c566a96g",
        ] {
            withView(bad) { #expect(UUIDValue(text: $0) == nil) }
            withView(bad) { #expect(ObjectID(text: $0) == nil) }
        }
    }
}
