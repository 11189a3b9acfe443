import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Files that git's autocrlf, FTP's text mode or a conversion to UTF-8 changed are recognised, and
/// restored where their bytes allow it.
@Suite struct TextFilterTests {
    private static let fixtures = ["social", "bulk", "types"].map { name in
        QueryCases.folder.appending(path: name + ".realm")
    }

    /// Adds carriage returns before line feeds, as FTP and git do. Git does not add one where there
    /// is one already.
    private static func withReturns(_ bytes: [UInt8], isGit: Bool) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if byte == 0x0A, !(isGit && result.last == 0x0D) { result.append(0x0D) }
            result.append(byte)
        }
        return result
    }

    private func write(_ bytes: [UInt8], _ name: String = "damaged") throws -> String {
        let path = folder.path + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private let folder = Folder()

    /// A directory that is removed with the last reference.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/t-\(UUID().uuidString)"

        init() {
            try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test(arguments: [false, true])
    func restoresAddedCarriageReturns(_ isGit: Bool) throws {
        for fixture in Self.fixtures {
            let original = [UInt8](try Data(contentsOf: fixture))
            let changed = Self.withReturns(original, isGit: isGit)
            let path = try write(changed, fixture.lastPathComponent)
            let filter = try #require(try TextFilter.find(path: path))
            #expect(filter.change == .carriageReturns)
            let target = path + ".restored"
            let restoration = try filter.restore(to: target)
            let restored = [UInt8](try Data(contentsOf: URL(filePath: target)))
            #expect(restored.count == original.count)
            if restoration.uncertain == 0 { #expect(restored == original) }
            if !isGit { #expect(restoration.uncertain == 0) }
        }
    }

    /// A carriage return of the original is found by the nodes after it.
    @Test func keepsCarriageReturnsOfTheOriginal() throws {
        let fixture = Self.fixtures[0]
        var original = [UInt8](try Data(contentsOf: fixture))
        let nodes = stride(from: 64, to: original.count - 4096, by: 8).filter {
            Array(original[$0..<$0 + 4]) == [0x41, 0x41, 0x41, 0x41]
        }
        // One pair in the payload of a node without other line feeds.
        let node = try #require(
            nodes.first { node in
                let next = nodes.first { $0 > node } ?? 0
                return next > node + 16 && !original[node..<next].contains(0x0A)
            })
        (original[node + 9], original[node + 10]) = (0x0D, 0x0A)
        let path = try write(Self.withReturns(original, isGit: true))
        let filter = try #require(try TextFilter.find(path: path))
        let restoration = try filter.restore(to: path + ".restored")
        #expect(restoration.uncertain == 0)
        #expect([UInt8](try Data(contentsOf: URL(filePath: path + ".restored"))) == original)
    }

    @Test func restoresLatinConvertedToUTF8() throws {
        for fixture in Self.fixtures {
            let original = [UInt8](try Data(contentsOf: fixture))
            let text = String(String.UnicodeScalarView(original.map { Unicode.Scalar($0) }))
            let path = try write(Array(text.utf8), fixture.lastPathComponent)
            let filter = try #require(try TextFilter.find(path: path))
            #expect(filter.change == .latin)
            _ = try filter.restore(to: path + ".restored")
            #expect([UInt8](try Data(contentsOf: URL(filePath: path + ".restored"))) == original)
        }
    }

    @Test func reportsReplacedBytes() throws {
        let fixture = Self.fixtures[0]
        let text = String(decoding: try Data(contentsOf: fixture), as: UTF8.self)
        let path = try write(Array(text.utf8))
        let filter = try #require(try TextFilter.find(path: path))
        #expect(filter.change == .replaced)
        #expect(!filter.isReversible)
        #expect(throws: RealmError.self) { try filter.restore(to: path + ".restored") }
    }

    @Test func findsNothingInSoundFiles() throws {
        for fixture in Self.fixtures {
            #expect(try TextFilter.find(path: fixture.path) == nil)
        }
    }
}
