import Foundation
import Testing

@testable import ToolSupport

/// JSON reports of all tools have the same structure.
@Suite struct ReportFormTests {
    private let lab = WriteLab()

    /// Returns the reports that a script prints, one per line.
    private func reports(_ script: String) throws -> [[String: Any]] {
        let run = lab.shell(
            "C=${TOOL%write}compact; V=${TOOL%write}versions; B=${TOOL%write}bench; \(script)")
        #expect(run.status == 0, "\(script): \(run.errorText)")
        return try run.text.split(separator: "\n").map { line in
            for tool in ["query", "write", "compact", "versions", "bench"] {
                if line.hasPrefix("{\"tool\":\"realm-\(tool)\",\"output\":1,") {
                    return try #require(
                        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                }
            }
            Issue.record("\(script): \(line)")
            return [:]
        }
    }

    /// Former names of members, which are kept for one version.
    private static let older: Set = [
        "reclaimable", "privateMemory", "freeOnDevice", "milliseconds", "releases", "grownSince",
        "bytesWithout", "age", "rssPeak", "file", "sizes", "size", "valueSize",
    ]

    /// Returns the names of members at any depth.
    private func names(_ value: Any) -> Set<String> {
        if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(names($1)) } }
        guard let object = value as? [String: Any] else { return [] }
        return object.reduce(into: []) { $0.formUnion(names($1.value).union([$1.key])) }
    }

    @Test func everyReportHasTheSameFirstMembers() throws {
        #expect(lab.makeZoo().status == 0)
        lab.write("in", "{\"id\":1}\n{\"id\":2,\"mother\":1}\n")
        var all: Set<String> = []
        for (script, count) in [
            ("$W -n --json --drop Cage zoo.realm", 1), ("$W --json zoo.realm Animal in", 1),
            ("$W --json --where 'id == 2' --delete zoo.realm Animal", 1),
            ("$C -n --json zoo.realm", 1), ("$C --analyze --json zoo.realm", 1),
            ("$C --check --json zoo.realm | tr -d '\\n'", 1),
            ("$C --json -o copy.realm zoo.realm", 1),
            ("$C --json --if-free 90% zoo.realm", 1), ("$C --json zoo.realm", 1),
            ("$V --json --growth --slots zoo.realm", 1), ("$V -f ndjson zoo.realm copy.realm", 2),
            ("$B --json -q -N 100 -r 1 --warmup 0s --durability unsafe readrandom fillseq", 1),
        ] {
            let reports = try reports(script)
            #expect(reports.count == count, "\(script)")
            for report in reports { all.formUnion(names(report)) }
        }
        #expect(all.isSuperset(of: ["seconds", "reclaimableBytes", "rssPeakBytes", "latency_ns"]))
        #expect(Self.older.subtracting(all).subtracting(["releases", "age"]).count <= 6)
        let sized = #/(?i).*(?:size|memory|amount|rss).*/#
        let timed = #/(?i).*(?:milli|micro|nanos|elapsed|duration).*/#
        for name in all.subtracting(Self.older) {
            if name.contains(sized) { #expect(name.lowercased().hasSuffix("bytes"), "\(name)") }
            if name.contains(timed) { #expect(name.hasSuffix("_ns"), "\(name)") }
        }
    }

    /// Options that had two meanings have two names, and the former names are accepted.
    @Test func formerNamesOfOptionsAreAccepted() throws {
        #expect(lab.makeZoo().status == 0)
        _ = try reports(
            "$V --map a.svg zoo.realm && $V --space-map b.svg zoo.realm && cmp a.svg b.svg")
        let options = "--json -q -N 60 -r 1 --warmup 0s --durability unsafe fillseq"
        let old = try reports("$B --batch 7 --time 1h \(options)")
        let new = try reports("$B --commit-operations 7 --run-time 1h \(options)")
        for report in old + new {
            let config = try #require(report["config"] as? [String: Any])
            #expect(config["batch"] as? Int == 7 && config["time_ns"] as? Int == 3_600_000_000_000)
        }
    }
}
