import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Every value, column property and backlink of files of the reference, compared line by line with
/// its dumps.
@Suite struct ReferenceDumpTests {
    /// Files of readable formats that have a dump.
    static let cases: [URL] =
        Fixtures.files("objects", ".realm").filter { hasDump($0) }
        + Fixtures.files("public", ".realm").filter {
            let name = $0.lastPathComponent
            return (name.hasPrefix("format1") || name.hasPrefix("format2")) && hasDump($0)
                && name != "format2-pre-null.realm"
        }

    static func hasDump(_ realm: URL) -> Bool {
        FileManager.default.fileExists(atPath: dump(realm).path)
    }

    static func dump(_ realm: URL) -> URL {
        realm.deletingPathExtension().appendingPathExtension("dump")
    }

    @Test(arguments: cases) func filesEqualTheirDumps(_ file: URL) throws {
        let database = try Database(immutable: file.path)
        let ours = try ReferenceDump(database).lines
        let theirs = try String(contentsOf: Self.dump(file), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        #expect(ours.count == theirs.count, "\(file.lastPathComponent)")
        let sorts = database.header.format < 24
        for (line, (our, their)) in zip(ours, theirs).enumerated() {
            let expected = sorts ? sortingCollections(their) : their
            if our != expected {
                Issue.record(
                    "\(file.lastPathComponent):\(line + 1)\n ours \(our)\n dump \(expected)")
                return
            }
        }
    }
}
