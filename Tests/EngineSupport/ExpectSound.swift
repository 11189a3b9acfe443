import Testing

@testable import RealmEngine

/// Describes the first findings, one per line.
func describe(_ findings: [IntegrityReport.Finding], _ report: IntegrityReport) -> String {
    let lines = findings.prefix(20).map { finding in
        let location = finding.location
        let parts: [String?] = [
            finding.code.rawValue, location.ref.map { "@\($0.raw)" }, location.table,
            location.column,
            location.object.map { "\($0.raw)" }, finding.what,
        ]
        return parts.compactMap { $0 }.joined(separator: " ")
    }
    let counts = report.counts.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
    return ([counts.joined(separator: " ")] + lines).joined(separator: "\n")
}

/// Expects that the integrity check of the file at `path` finds nothing wrong. Called at the end of
/// every test that writes a database.
func expectSound(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try IntegrityCheck.run(path: path)
    #expect(
        report.isClean, "\(describe(report.findings, report))", sourceLocation: sourceLocation)
}
