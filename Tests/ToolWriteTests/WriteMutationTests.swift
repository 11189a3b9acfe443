import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// Damaged input never harms the database: malformed records are rejected with record, line and
/// reason, and the result passes the integrity check.
@Suite struct WriteMutationTests {
    private static let lines: [WriteRequest.InputFormat: [String]] = [
        .ndjson: [
            #"{"id":17,"name":"Ada","weight":556.62,"born":"2021-10-23T08:40:28Z","mother":1}"#,
            #"{"id":1,"weight":1,"friends":[1,2,3],"names":["a","b"],"scores":{"k":1}}"#,
            #"{"id":2,"weight":1,"tag":{"text":"t","owner":17},"any":{"a":[1,{"b":null}]}}"#,
            #"{"id":3,"weight":0.5,"any":{"$link":{"table":"class_Animal","key":1}}}"#,
            #"{"id":4,"weight":2,"mother":{"id":9,"weight":1},"any":{"$binary":{"base64":"AA=="}}}"#,
        ],
        .csv: [
            "17,Ada,556.62,2021-10-23T08:40:28Z,1,1;2,a;b,\"{\"\"k\"\":1}\"",
            "1,,1,,,\"[1,2,3]\",,", "2,\"x \"\" y\",3.5,,17,,a,", "3,\"a\nb\",1e3,,,,,",
        ],
    ]
    private static let header = "id,name,weight,born,mother,friends,names,scores\n"
    private static let pieces = [
        "\"", "{", "}", "[", "]", ",", ":", "null", "0", "-", "e5", "\\u", "\n", "\r", "é", "\u{0}",
        "\"\"", ";", "9223372036854775808", "1e999", "$link", "\"id\":", "\u{1F}",
    ].map { Array($0.utf8) }

    private func damaged(
        _ format: WriteRequest.InputFormat, _ random: inout SeededRandom
    ) -> [UInt8] {
        var bytes = Array((format == .csv ? Self.header : "").utf8)
        for _ in 0..<50 {
            var line = Array(Self.lines[format]!.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: line[place] = UInt8.random(in: 0...255, using: &random)
                case 1:
                    line.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: place)
                case 2: line.remove(at: place)
                default: line.removeSubrange(place...)
                }
                if line.isEmpty { break }
            }
            bytes += line + [10]
        }
        return bytes
    }

    /// 50 inputs per round; 100 000 with `REALM_TEST_SCALE` 50.
    @Test(arguments: [WriteRequest.InputFormat.ndjson, .csv])
    func damagedRecordsAreReadSafely(_ format: WriteRequest.InputFormat) throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("WriteMutationTests \(format) seed \(seed)")
        var random = SeededRandom(seed: seed)
        let lab = WriteLab()
        _ = lab.makeZoo()
        let session = try WriteSession(path: lab.path("zoo.realm"))
        var refused = 0
        for round in 0..<RecordSupport.scaled(40) {
            let mode = ["insert", "upsert", "merge", "update"].randomElement(using: &random)!
            let links = ["strict", "create", "null"].randomElement(using: &random)!
            refused += try load(
                damaged(format, &random), format, mode: mode, links: links, session, lab)
            if round % 8 == 7 { try check(lab) }
        }
        #expect(refused > 500)
        try check(lab)
    }

    private func check(_ lab: WriteLab) throws {
        let report = try IntegrityCheck.run(path: lab.path("zoo.realm"))
        #expect(report.findings.isEmpty, "\(report.findings.prefix(3))")
    }

    /// Writes one input and returns the number of rejected records, each of which must have a
    /// reason.
    private func load(
        _ bytes: [UInt8], _ format: WriteRequest.InputFormat, mode: String, links: String,
        _ session: WriteSession, _ lab: WriteLab
    ) throws -> Int {
        let rejects = lab.path("rejects")
        let words = [
            "-q", "-i", format.rawValue, "-m", mode, "--links", links, "--on-error", "skip",
            "--rejects", rejects, "--durability", "unsafe", lab.path("zoo.realm"), "Animal",
        ]
        let request = try WriteRequest(try OptionParser.parse(WriteTable.table, words[...]))
        let report = try LoadReport(
            request, input: "-", OutputFile(path: nil, force: false))
        let load = try RecordLoad(
            request, className: "Animal", session, session.database.schema,
            RecordInput(bytes, name: "-", InputForm(format)), report)
        _ = try load.run()
        let lines = lab.text("rejects").split(separator: "\n")
        for line in lines {
            let record = try StrictJSON(String(line))
            #expect(record["expected"] != nil && record["got"] != nil && record["line"] != nil)
        }
        #expect(lines.count == load.counts.durable.rejected)
        _ = lab.shell("rm -f rejects")
        return lines.count
    }
}
