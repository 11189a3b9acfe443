import Glibc
import RealmEngine
import RealmRecords
import Testing

@testable import ToolKit
@testable import ToolSupport

@Suite struct KeyFileTests {
    private let scratch = ScratchDirectory()
    /// A key in which each value of a byte's high and low half occurs.
    private let key = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }

    private func read(_ content: [UInt8], mode: mode_t = 0o600) -> Result<[UInt8], RealmError> {
        read(path: scratch.write("key", content, mode: mode))
    }

    private func read(path: String) -> Result<[UInt8], RealmError> {
        do throws(RealmError) {
            let key = try KeyFile.read(path) { _ in }.key
            return .success(key.withBytes { Array($0) })
        } catch { return .failure(error) }
    }

    private var hexadecimal: [UInt8] {
        key.flatMap(Hexadecimal.digits)
    }

    private var base64: [UInt8] {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: 63, by: 3) {
            let bits = Int(key[start]) << 16 | Int(key[start + 1]) << 8 | Int(key[start + 2])
            text += [18, 12, 6, 0].map { alphabet[bits >> $0 & 63] }
        }
        return text + [alphabet[Int(key[63] >> 2)], alphabet[Int(key[63] & 3) << 4]]
            + Array("==".utf8)
    }

    @Test func allFormsGiveTheSameKey() throws {
        #expect(base64.count == 88)
        let upper = Array(String(decoding: hexadecimal, as: UTF8.self).uppercased().utf8)
        let newline = Array("\n".utf8)
        let spaced = Array(hexadecimal[..<64]) + Array(" \t\r\n".utf8) + Array(hexadecimal[64...])
        for content in [
            key, key + newline, hexadecimal, hexadecimal + newline, upper, spaced, base64,
            newline + base64 + newline,
        ] {
            #expect(try read(content).get() == key)
        }
    }

    @Test func rawKeysMayContainWhiteSpace() throws {
        let blanks = [UInt8](repeating: 0x20, count: 64)
        #expect(try read(blanks).get() == blanks)
    }

    @Test func errorsForInvalidKeysContainOnlyTheLength() {
        let secret = Array("secret".utf8)
        let cases: [(content: [UInt8], message: String)] = [
            ([], "not a key file: it holds 0 bytes"),
            (Array(key.dropLast()), "not a key file: it holds 63 bytes"),
            (key + [1], "not a key file: it holds 65 bytes"),
            (secret + [0x0A], "not a key file: it holds 7 bytes, 6 without white space"),
            (
                hexadecimal.dropLast() + [0x67],
                "not a key file: 128 characters, not all of them hex digits"
            ),
            (base64.dropLast() + [0x41], "not a key file: 88 characters that are not base64"),
            ([0x2D] + base64.dropFirst(), "not a key file: 88 characters that are not base64"),
            (
                [UInt8](repeating: 0x61, count: 5000),
                "not a key file: it holds more than 4096 bytes"
            ),
        ]
        for (content, message) in cases {
            guard case .failure(let error) = read(content) else {
                Issue.record("accepted \(content.count) bytes")
                continue
            }
            #expect(error.kind == .key)
            #expect(error.reason == "bad-key-file")
            let visible = content.filter { !(0x09...0x0D).contains($0) && $0 != 0x20 }.count
            if visible == content.count { #expect(error.message == message) }
            #expect(error.message.hasPrefix("not a key file: "))
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func base64HasOneSpellingPerKey() {
        var other = base64
        other[85] += 1
        guard case .failure = read(other) else {
            Issue.record("accepted stray bits")
            return
        }
    }

    @Test func missingKeyFileIsAKeyError() {
        for path in [scratch.file("none"), scratch.path] {
            guard case .failure(let error) = read(path: path) else {
                Issue.record("read \(path)")
                continue
            }
            #expect(error.kind == .key)
            #expect(error.reason == "bad-key-file")
            #expect(error.file == path)
        }
    }

    @Test func keyFilesReadableByOthersGiveOneWarning() throws {
        for (mode, expected) in [(mode_t(0o600), 0), (0o640, 1), (0o604, 1), (0o644, 1)] {
            let path = scratch.write("key", key, mode: mode)
            var warnings = 0
            _ = try KeyFile.read(path) { _ in warnings += 1 }
            #expect(warnings == expected, "mode \(mode)")
        }
    }

    @Test func keysAreReadFromPipes() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let content = hexadecimal
        #expect(Glibc.write(ends[1], content, 50) == 50)
        #expect(content.withUnsafeBytes { Glibc.write(ends[1], $0.baseAddress! + 50, 78) } == 78)
        close(ends[1])
        let read = try KeyFile.read("/dev/fd/\(ends[0])") { _ in Issue.record("warned") }
        #expect(read.form == .hexadecimal)
        #expect(read.key.withBytes { Array($0) } == key)
    }
}
