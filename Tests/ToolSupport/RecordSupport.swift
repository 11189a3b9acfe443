import Foundation
import RealmEngine
import Testing

@testable import RealmRecords
@testable import ToolKit

/// Functions that read JSON and other records from a text in memory.
enum RecordSupport {
    /// Parses one value and returns the error; nil if it is well-formed.
    static func jsonFault(_ text: String) -> RecordError? { jsonFault(Array(text.utf8)) }

    static func jsonFault(_ bytes: [UInt8]) -> RecordError? {
        do throws(RecordError) {
            try withJSON(bytes) { _ in }
            return nil
        } catch {
            return error
        }
    }

    static func withJSON(_ text: String, _ body: (JSONValue) -> Void) throws(RecordError) {
        try withJSON(Array(text.utf8), body)
    }

    static func withJSON(_ bytes: [UInt8], _ body: (JSONValue) -> Void) throws(RecordError) {
        let tape = JSONTape()
        // A copy of exactly this size lets the sanitizers detect any access outside of it.
        let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        defer { copy.deallocate() }
        bytes.withUnsafeBytes {
            if $0.count > 0 { copy.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        }
        let value = try tape.parse(copying: ByteView(copy, count: bytes.count))
        withExtendedLifetime(tape) { body(value) }
    }

    /// Reads all records of a JSON text. Returns the text of each record, and for a malformed
    /// record the message of its error.
    static func events(
        _ text: String, _ layout: JSONReader.Layout, window: Int = 1 << 16, step: Int = .max,
        limits: JSONReader.Limits = JSONReader.Limits()
    ) throws -> [String] {
        let reader = JSONReader(
            ByteSource(bytes: Array(text.utf8), maximumReadSize: step), layout: layout,
            limits: limits,
            windowSize: window)
        var events: [String] = []
        while true {
            switch try reader.next() {
            case .record(let value): events.append(value.source.string)
            case .rejected(let error): events.append(error.message)
            case .end: return events
            }
        }
    }
}

/// A reproducible random number generator (xorshift).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

extension RecordSupport {
    /// Calls `body` with the reading end of a pipe, to which a thread writes `bytes`. With nil,
    /// nothing is written.
    static func withPipe(
        carrying bytes: [UInt8]?, _ body: (Int32) throws -> Void
    ) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer {
            close(reading)
            if bytes == nil { close(writing) }
        }
        if let bytes {
            Thread.detachNewThread {
                var written = 0
                while written < bytes.count {
                    let count = bytes.withUnsafeBytes {
                        write(writing, $0.baseAddress! + written, min(5000, bytes.count - written))
                    }
                    if count <= 0 { break }
                    written += count
                }
                close(writing)
            }
        }
        try body(reading)
    }
}

extension RecordSupport {
    /// Returns the number of rounds of a random test: `rounds` times `REALM_TEST_SCALE`, if that is
    /// set.
    static func scaled(_ rounds: Int) -> Int {
        let scale = ProcessInfo.processInfo.environment["REALM_TEST_SCALE"].flatMap(Double.init)
        return Int(Double(rounds) * (scale ?? 1))
    }
}
