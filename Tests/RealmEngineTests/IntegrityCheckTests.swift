import Foundation
import Testing

@testable import RealmEngine

/// Files the reference wrote are clean, but for what its defects leave (object format 13).
@Suite struct IntegrityCheckTests {
    static let readable: [URL] =
        Fixtures.files("objects", ".realm") + Fixtures.files("query", ".realm")
        + Fixtures.files("public", ".realm").filter {
            let name = $0.lastPathComponent
            // Builds of the reference with 4 elements per node give compact clusters other keys.
            if name.hasSuffix("-4.realm") || name == "format2-pre-null.realm" { return false }
            return name.hasPrefix("format1") || name.hasPrefix("format2")
        }

    /// What may be found in a sound file: property by code.
    static let exceptions: [IntegrityReport.Code: Set<String>] = [
        // Defect 7: an index on a list of strings holds the same key twice.
        .indexStale: ["class_Idx.lidx"]
    ]

    @Test(arguments: readable) func isClean(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path)
        let rest = report.findings.filter { finding in
            let place = "\(finding.place.table ?? "").\(finding.place.column ?? "")"
            // The generator of the fixtures makes text of any bytes.
            if finding.code == .stringUTF8 { return false }
            return Self.exceptions[finding.code]?.contains(place) != true
        }
        #expect(rest.isEmpty, "\(file.lastPathComponent): \(describe(rest, report))")
    }

    @Test(arguments: readable) func isCleanAtAGlance(_ file: URL) throws {
        let report = try IntegrityCheck.run(path: file.path, level: .quick)
        #expect(report.isClean, "\(file.lastPathComponent): \(describe(report.findings, report))")
    }

    @Test func scratch() throws {
        guard let list = ProcessInfo.processInfo.environment["CHECK_FILES"] else { return }
        for path in list.split(separator: " ") {
            let start = ContinuousClock.now
            let report = try IntegrityCheck.run(path: String(path))
            print(
                path, ContinuousClock.now - start,
                describe(
                    report.findings.filter { $0.code != .stringUTF8 && $0.place.column != "lidx" },
                    report))
        }
    }
}

/// The first findings, one a line.
func describe(_ findings: [IntegrityReport.Finding], _ report: IntegrityReport) -> String {
    let lines = findings.prefix(20).map { finding in
        let place = finding.place
        let parts: [String?] = [
            finding.code.rawValue, place.ref.map { "@\($0.raw)" }, place.table, place.column,
            place.object.map { "\($0.raw)" }, finding.what,
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
    let counts = report.counts.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    return ([counts.joined(separator: " ")] + lines).joined(separator: "\n")
}
