import Foundation
import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit
@testable import ToolSupport

/// Damaged JSON never crashes or hangs a reader. Foundation's parser agrees on which texts are
/// well-formed and on their values.
@Suite struct JSONMutationTests {
    private static let seeds = [
        #"{"_id":17,"name":"Ada Hamilton","age":50,"score":556.62,"active":true,"city":null}"#,
        #"{"a":[1,-2,3.5e10,[],{}],"b":{"c":"é\u00e9\ud83d\ude00\n","d":[[[false]]]},"e":"日本"}"#,
        #"[{"$numberLong":"9223372036854775807"},{"$date":{"$numberLong":"-1"}},1e-7,"\\\"/"]"#,
        #"{"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9}"#,
        "[0,1,10,123456789012345678,-1.25,18446744073709551615,0.1e+3,\"\u{10FFFF}\"]",
    ]
    private static let pieces = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "true", "0", "1", "-", ".", "e", "E5",
        "\\u", "\\ud83d", "\\ude00", "\\u0041", "\n", " ", "\t", "é", "\u{0}", "\u{1F}", "\"a\":",
        "9223372036854775808", "1e999", "//",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < bytes.count:
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < bytes.count:
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random)!, at: place)
            case 3 where place < bytes.count: bytes.remove(at: place)
            case 4: bytes.removeSubrange(place...)
            default:
                let end = min(bytes.count, place + Int.random(in: 0..<20, using: &random))
                let target = Int.random(in: 0...bytes.count, using: &random)
                bytes.insert(contentsOf: bytes[place..<end], at: target)
            }
        }
    }

    @Test func validityAgreesWithFoundation() {
        let seed = UInt64.random(in: 0 ... .max)
        print("JSONMutationTests.validityAgreesWithFoundation seed \(seed)")
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for _ in 0..<RecordSupport.scaled(20_000) {
            var bytes = Array(Self.seeds.randomElement(using: &random)!.utf8)
            if Int.random(in: 0..<10, using: &random) > 0 { Self.mutate(&bytes, &random) }
            if compare(bytes) { accepted += 1 }
        }
        #expect(accepted > 1000)
    }

    /// Compares the two parsers; returns true if both accept the text.
    private func compare(_ bytes: [UInt8]) -> Bool {
        let theirs = try? JSONSerialization.jsonObject(
            with: Data(bytes), options: .fragmentsAllowed)
        var isEqual = false
        do throws(RecordError) {
            try RecordSupport.withJSON(bytes) { isEqual = equals($0, theirs) }
            #expect(
                isEqual || isBeyondFoundation(bytes), "\(String(decoding: bytes, as: UTF8.self))")
            return isEqual
        } catch {
            let isOurRule = error.code == .duplicateProperty || error.code == .limitExceeded
            // Foundation accepts a comma before a closing bracket.
            let isTrailingComma = error.got == "']'" || error.got == "'}'"
            #expect(
                theirs == nil || isOurRule || isTrailingComma || isLaxInFoundation(bytes),
                "\(error.message): \(String(decoding: bytes, as: UTF8.self))")
            return false
        }
    }

    /// Whether the text may contain numbers beyond the range of double, which Foundation rejects.
    private func isBeyondFoundation(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.contains("e") || text.contains("E") || text.utf8.count > 300
    }

    /// Whether Foundation may treat the text as UTF-16 or UTF-32 because of NULs, or skip a byte
    /// order mark.
    private func isLaxInFoundation(_ bytes: [UInt8]) -> Bool {
        bytes.contains(0) || bytes.first == 0xEF || bytes.first == 0xFE || bytes.first == 0xFF
    }

    private func equals(_ ours: JSONValue, _ theirs: Any?) -> Bool {
        switch (ours.kind, theirs) {
        case (.null, is NSNull): return true
        case (.bool, let flag as Bool): return ours.bool == flag
        case (.string, let text as String):
            return ours.text.bytes == Array(text.utf8)
        case (.int, let number as NSNumber): return ours.int == number.int64Value
        case (.number, let number as NSNumber):
            // Foundation rounds long numbers through a decimal; the standard library does not.
            let difference = abs(ours.double! - number.doubleValue)
            return ours.double == Double(ours.text.string)
                && difference <= 4 * number.doubleValue.ulp
        case (.array, let elements as [Any]):
            return ours.count == elements.count
                && zip(ours.children, elements).allSatisfy { equals($0, $1) }
        case (.object, let fields as [String: Any]):
            return ours.children.allSatisfy { equals($0, fields[$0.key.string]) }
        default: return false
        }
    }

    @Test func damagedTextIsReadSafely() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("JSONMutationTests.damagedTextIsReadSafely seed \(seed)")
        var random = SeededRandom(seed: seed)
        var rejected = 0
        for round in 0..<RecordSupport.scaled(2_000) {
            // Fifty damaged records per stream make 100 000 in all.
            let layout: JSONReader.Layout = round % 4 == 0 ? .array : .lines
            let (bytes, size) = stream(layout, &random)
            let source = ByteSource(
                bytes: bytes, maximumReadSize: [1, 7, 100, .max].randomElement(using: &random)!)
            let reader = JSONReader(
                source, layout: layout, windowSize: [16, 256, 4096].randomElement(using: &random)!)
            rejected += try drain(reader, atMost: size)
            #expect(source.bytesRead == bytes.count || layout == .array)
        }
        #expect(rejected > 10_000)
    }

    private func stream(
        _ layout: JSONReader.Layout, _ random: inout SeededRandom
    ) -> ([UInt8], Int) {
        var bytes: [UInt8] = layout == .array ? [UInt8(ascii: "[")] : []
        for index in 0..<50 {
            var record = Array(Self.seeds.randomElement(using: &random)!.utf8)
            Self.mutate(&record, &random)
            if index > 0 { bytes.append(layout == .array ? UInt8(ascii: ",") : 10) }
            bytes += record
        }
        if layout == .array { bytes.append(UInt8(ascii: "]")) }
        return (bytes, bytes.count)
    }

    /// Reads all records and accesses all values; returns the number of rejected records.
    private func drain(_ reader: JSONReader, atMost limit: Int) throws -> Int {
        var rejected = 0
        for _ in 0...limit {
            switch try reader.next() {
            case .record(let value): touch(value)
            case .rejected(let error):
                rejected += 1
                #expect(!error.message.isEmpty && error.line > 0 && error.column > 0)
                #expect(reader.recordBytes.count <= limit)
            case .end: return rejected
            }
        }
        Issue.record("the reader does not end")
        return rejected
    }

    private func touch(_ value: JSONValue) {
        _ = value.key.bytes
        _ = value.text.bytes
        for child in value.children { touch(child) }
    }
}
