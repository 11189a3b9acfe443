import Foundation

/// Queries with their expected results (conformance data of the query language specification), from
/// `query-cases.json`.
enum QueryCases {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures/query").standardized

    static let datasets: [CaseJSON] = {
        let data = try! Data(contentsOf: folder.appending(path: "query-cases.json"))
        return CaseJSON(parsing: [UInt8](data))["datasets"]!.array
    }()

    static let all: [CaseJSON] = datasets.flatMap { $0["cases"]!.array }

    /// Factor for the number of rounds in long tests, from `REALM_TEST_SCALE`; 1 by default.
    static let scale =
        ProcessInfo.processInfo.environment["REALM_TEST_SCALE"].flatMap(Int.init) ?? 1
}

extension CaseJSON {
    /// Kind and reason of the expected error; nil if no error is expected.
    var expectedError: (kind: String, reason: String)? {
        guard let error = self["expect"]?["error"] else { return nil }
        return (error["kind"]!.string!, error["reason"]!.string!)
    }
}
