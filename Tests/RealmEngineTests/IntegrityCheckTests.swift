import Foundation
import Testing

@testable import RealmEngine

/// Files the reference wrote are clean.
@Suite struct IntegrityCheckTests {
    static let readable: [URL] =
        (Fixtures.files("objects", ".realm") + Fixtures.files("query", ".realm")
        + Fixtures.files("public", ".realm").filter {
            $0.lastPathComponent.hasPrefix("format2") && !$0.lastPathComponent.hasPrefix("format2-")
        })

    @Test(arguments: readable) func isClean(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path)
        let isClean = report.counts.keys.allSatisfy { $0 == .stringUTF8 }
        #expect(isClean, "\(file.lastPathComponent): \(text(report))")
    }

    @Test func scratch() throws {
        guard let list = ProcessInfo.processInfo.environment["CHECK_FILES"] else { return }
        for path in list.split(separator: " ") {
            let report = try IntegrityCheck.run(path: String(path))
            print(path, report.facts.nodes, report.facts.gapBytes, text(report))
        }
    }

    private func text(_ report: IntegrityReport) -> String {
        let shown = report.findings.filter { $0.code != .stringUTF8 }.prefix(20)
        let lines = shown.map { finding in
            let place = finding.place
            let parts: [String?] = [
                finding.code.rawValue, place.ref.map { "@\($0.raw)" }, place.table, place.column,
                place.object.map { "\($0.raw)" }, finding.what,
            ]
            return parts.compactMap { $0 }.joined(separator: " ")
        }
        let counts = report.counts.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
        return counts.joined(separator: " ") + " \(report.errorCount) errors, \(report.warningCount) warnings\n"
            + lines.joined(separator: "\n")
    }
}
