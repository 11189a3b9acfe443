import Foundation
import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit

/// Text in other encodings becomes UTF-8, for any division into reads.
struct TextEncodingTests {
    private static let text = "name;é€\u{2014}\r\n\u{1F388}x\u{10FFFF}\u{FFFF}\n"

    private static func decoded(
        _ bytes: [UInt8], _ encoding: TextEncoding, step: Int
    ) throws -> [UInt8] {
        let source = ByteSource(
            TranscodedBytes(ByteSource(bytes: bytes, maximumReadSize: step), from: encoding))
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 7)
        while true {
            let count = try piece.withUnsafeMutableBytes {
                try source.read(into: $0.baseAddress!, capacity: 7)
            }
            if count == 0 { return result }
            result += piece[..<count]
        }
    }

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBig ? [high, low] : [low, high]
        }
    }

    @Test(arguments: [1, 2, 3, 5, 1 << 16]) func decodesUTF16InBothOrders(step: Int) throws {
        let expected = Array(Self.text.utf8)
        let (little, big) = (
            Self.utf16(Self.text, isBig: false), Self.utf16(Self.text, isBig: true)
        )
        #expect(try Self.decoded(little, .utf16LittleEndian, step: step) == expected)
        #expect(try Self.decoded(little, .utf16, step: step) == expected)
        #expect(try Self.decoded(big, .utf16BigEndian, step: step) == expected)
        for encoding in [TextEncoding.utf8, .utf16] {
            #expect(try Self.decoded([0xFF, 0xFE] + little, encoding, step: step) == expected)
            #expect(try Self.decoded([0xFE, 0xFF] + big, encoding, step: step) == expected)
        }
    }

    @Test(arguments: [1, 3, 1 << 16]) func leavesUTF8Unchanged(step: Int) throws {
        for bytes in [Array(Self.text.utf8), [0x61], [], [0x61, 0xFF, 0xC3]] {
            #expect(try Self.decoded(bytes, .utf8, step: step) == bytes)
        }
    }

    @Test func decodesEveryByteOfTheEightBitEncodings() throws {
        let all = (0...255).map { UInt8($0) }
        let latin1 = try #require(String(bytes: all, encoding: .isoLatin1))
        #expect(try Self.decoded(all, .latin1, step: 64) == Array(latin1.utf8))
        let undefined: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]
        for byte in all {
            if undefined.contains(byte) {
                #expect(throws: RealmError.self) {
                    try Self.decoded([0x61, byte], .windows1252, step: 64)
                }
            } else {
                let text = try #require(String(bytes: [byte], encoding: .windowsCP1252))
                #expect(try Self.decoded([byte], .windows1252, step: 64) == Array(text.utf8))
            }
        }
    }

    @Test(arguments: [1, 2, 64]) func refusesInvalidUTF16AtItsOffset(step: Int) {
        for (bytes, offset) in [
            ([0x61, 0, 0x00, 0xDC] as [UInt8], 2), ([0x61, 0, 0x00, 0xD8, 0x61, 0], 2),
            ([0x61, 0, 0x00, 0xD8], 2), ([0x61, 0, 0x62], 2),
        ] {
            do {
                _ = try Self.decoded(bytes, .utf16LittleEndian, step: step)
                Issue.record("accepted \(bytes)")
            } catch {
                #expect("\(error)".contains("not utf-16le at byte \(offset)"), "\(error)")
            }
        }
    }
}
