import Testing

@testable import ToolKit
@testable import ToolSupport

/// Sorting more than `--max-memory` allows.
@Suite struct QuerySpillToolTests {
    private static let file = "\(packageRoot)/Tests/Fixtures/query/bulk.realm"

    private func sorted(_ options: String, _ environment: String = "") -> ToolProcess {
        ToolProcess.shell(
            "\(environment) \"$TOOL\" \(options) \(Self.file) Node "
                + "'TRUEPREDICATE SORT(s ASC, d DESC) DISTINCT(s, k)'")
    }

    @Test func theOutputIsTheSame() {
        let whole = sorted("-f csv")
        let spilled = sorted("-f csv --max-memory 1k")
        #expect(whole.status == 0 && spilled.status == 0, "\(spilled.errorText)")
        #expect(whole.output == spilled.output)
        #expect(whole.output.count > 10_000)
    }

    @Test func withoutAPlaceToSpillThereIsAnError() {
        let result = sorted("--max-memory 1k", "TMPDIR=/nowhere")
        #expect(result.status == 9)
        #expect(result.output.isEmpty)
        #expect(result.errorText.contains("/nowhere"), "\(result.errorText)")
        #expect(sorted("", "TMPDIR=/nowhere").status == 0)
    }
}
