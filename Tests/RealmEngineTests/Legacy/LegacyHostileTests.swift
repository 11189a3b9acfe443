import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Damaged and unfinished files of old formats.
@Suite struct LegacyHostileTests {
    /// A header that names an old format does not make tables of a later format old.
    @Test func tablesOfALaterFormatAreNotReadAsOld() throws {
        let scratch = ScratchDatabase()
        let session = try WriteSession(path: scratch.path, options: .scratch())
        let change = try session.begin()
        _ = try change.createClass("Dog")
        try change.commit()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: scratch.path)))
        for format in [8, 9] as [UInt8] {
            (bytes[20], bytes[21]) = (format, format)
            #expect(HostileCase.read(bytes).error?.kind == .corrupt)
        }
    }

    /// Reading a damaged file ends with values or an error. Some damage is only found by the
    /// integrity check.
    static let cases = Fixtures.files("legacy", ".realm").filter {
        $0.lastPathComponent.hasPrefix("hostile-")
    }

    @Test(arguments: cases) func damageIsRefused(_ file: URL) throws {
        let unseen = ["hostile-leaf-depth", "hostile-shared-node"]
        let isSeen = !unseen.contains(file.deletingPathExtension().lastPathComponent)
        let error = Thrown.error {
            _ = try ReferenceDump(try Database(immutable: file.path))
        }
        #expect(!isSeen || error != nil, "\(file.lastPathComponent)")
        if let error, error.reason != "unknown-format" { #expect(error.isDamage) }
    }

    /// A list that is read in place may claim 16 million elements in 8 bytes.
    @Test func listsOfWidthZeroAreReadSafely() throws {
        let file = try #require(Fixtures.files("legacy", "historic-f9-pk-table.realm").first)
        var bytes = [UInt8](try Data(contentsOf: file))
        // Changes of a random run, among them the header of a leaf.
        bytes.replaceSubrange(1912..<1920, with: [0, 0, 0, 0, 0, 0x80, 0, 0])
        for (place, byte) in [(2053, 199), (3201, 10), (2164, 200), (2990, 132)] {
            bytes[place] = UInt8(byte)
        }
        let outcome = HostileCase.read(bytes)
        #expect(outcome.complaint == nil && outcome.error?.kind == .corrupt)
    }

    /// Changes every byte of a small file in several ways: no crash, no hang.
    @Test func filesWithOneChangedByteAreReadSafely() throws {
        for name in ["historic-f7-int", "historic-f2-binary", "historic-f3-datetime"] {
            let file = Fixtures.own.appending(path: "legacy/\(name).realm")
            let bytes = [UInt8](try Data(contentsOf: file))
            for i in 0..<bytes.count {
                for change in [0x01, 0x40, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[i] ^= change
                    _ = HostileCase.read(changed)
                }
            }
        }
    }
}
