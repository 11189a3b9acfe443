import Testing

@testable import ToolKit
@testable import ToolSupport

/// A file is unchanged by export and import.
@Suite struct WriteRoundTripTests {
    private static let names = [
        "anyval", "bulk", "grammar", "orders", "places", "social", "text", "types",
    ]

    private func copy(_ name: String, _ lab: WriteLab) -> ToolProcess {
        lab.shell(
            """
            set -o pipefail
            F='\(packageRoot)/Tests/Fixtures/query/\(name).realm'
            $Q --schema --json "$F" > schema.json
            $Q --all --types extended -f ndjson "$F" > all.ndjson
            $W -q -1 --create --schema-file schema.json new.realm - all.ndjson &&
            $Q --all --types extended -f ndjson new.realm > again.ndjson &&
            $Q --schema --json new.realm > again.json
            """)
    }

    @Test(arguments: names)
    func extendedJSONRoundTrips(name: String) {
        let lab = WriteLab()
        let result = copy(name, lab)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(lab.text("all.ndjson") == lab.text("again.ndjson"))
    }

    @Test(arguments: names)
    func digestsOfCopiesAreEqual(name: String) {
        let lab = WriteLab()
        _ = copy(name, lab)
        let digests = lab.shell(
            """
            $Q --digest -f csv '\(packageRoot)/Tests/Fixtures/query/\(name).realm'; echo =
            $Q --digest -f csv new.realm
            """
        ).text.split(separator: "=\n")
        #expect(digests.count == 2)
        #expect(digests.first == digests.last)
    }
}
