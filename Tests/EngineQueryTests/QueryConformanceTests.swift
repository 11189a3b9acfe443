import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Conformance data on files of the reference engine: every case of level `must` or `should` holds,
/// for all evaluation strategies.
@Suite struct QueryConformanceTests {
    static let ways: [QueryOptions] = [true, false].flatMap { indexes in
        [true, false].map { kernels in
            var options = QueryOptions()
            options.usesIndexes = indexes
            options.usesKernels = kernels
            return options
        }
    }

    /// Recorded behaviour of level `may` that this engine does not copy: defects of the reference
    /// engine (query language 26).
    static let deviations: Set<String> = [
        // An index on mixed finds only equal index keys; here indexes never change results.
        "vx == nan", "vx ==[c] binary('A')", "vx in {1.1}", "anyx == 0.1",
        // Calendar times wrap at 32 bits of seconds.
        "when < 2038-01-19T03:14:08", "t == 9999-12-31T23:59:59",
        // Comparing links with a list loses rows.
        "employer == {obj('Company', 4), obj('Company', 1)}",
        // An asterisk at the end of a pattern requires a character.
        "title like '**e**'",
        // A second step after a dictionary's key replaces the key.
        "TRUEPREDICATE SORT(contacts['x'].age ASC, handle ASC)",
        // IN without a usable element matches everything, or -1.
        "bin in {'a'}", "d in {1, 2}", "i in {null}", "i in {true, 'x'}", "i in {true}",
        "ob in {1}", "oi in {true}", "t in {1, 2}",
        // A bound at the limit of the integers drops the condition.
        "oi >= -9223372036854775808",
    ]

    @Test(arguments: QueryCases.datasets.indices, ways.indices)
    func datasetsHaveTheRecordedResults(_ i: Int, _ way: Int) throws {
        let dataset = QueryCases.datasets[i]
        Self.check(dataset, try QueryCaseRunner(dataset, options: Self.ways[way]))
    }

    /// Compares all outcomes with the recorded ones.
    static func check(_ dataset: CaseJSON, _ runner: QueryCaseRunner) {
        for example in dataset["cases"]!.array {
            let text = example["query"]!.string!
            guard let difference = runner.difference(example) else { continue }
            if example["level"]!.string! == "may" {
                let isError = example.expectedError != nil && difference.contains("got")
                #expect(isError || deviations.contains(text), "\(text): \(difference)")
            } else {
                Issue.record("\(dataset["name"]!.string!): \(text): \(difference)")
            }
        }
    }
}
