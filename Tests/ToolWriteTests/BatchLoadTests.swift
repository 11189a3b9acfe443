import Glibc
import RealmEngine
import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolWrite

/// Records written batch by batch: cases in which a batch cannot be written as a whole differ only
/// in time.
@Suite struct BatchLoadTests {
    private let lab = WriteLab()

    init() { _ = lab.makeZoo() }

    private func digest(_ file: String) -> String {
        lab.shell("$Q --digest -f csv \(file)").text
    }

    private func animals(_ count: Int) -> [String] {
        (0..<count).map { i in
            var line = "{\"id\":\(i * 7919 % count),\"name\":\"n\(i % 97)\",\"weight\":\(i).5"
            if i % 3 == 0 { line += ",\"mother\":\((i * 31) % count)" }
            if i % 5 == 0 { line += ",\"friends\":[\(i % count),\((i + 700) % count)]" }
            if i % 7 == 0 { line += ",\"names\":[\"b\",\"a\"],\"scores\":{\"x\":\(i)}" }
            if i % 11 == 0 { line += ",\"tag\":{\"text\":\"t\(i)\",\"owner\":\(i % count)}" }
            if i % 13 == 0 { line += ",\"any\":[1,{\"k\":\(i)}]" }
            return line + "}"
        }
    }

    /// The database does not depend on threads, memory, or whether batches are written as a whole.
    @Test func resultDoesNotDependOnThreadsOrMemory() {
        let lines = animals(3000)
        lab.write("in.ndjson", lines.joined(separator: "\n") + "\n")
        lab.write("in.json", "[" + lines.joined(separator: ",\n") + "]")
        let ways = [
            "-1 -j1", "-1 -j2", "-1 -j4", "-1 --max-memory 64KiB", "-1 -m upsert",
            "-1 -m merge -j1",
            "-1 -i json",
        ]
        var digests: Set<String> = []
        for (i, way) in ways.enumerated() {
            let input = way.contains("json") ? "in.json" : "in.ndjson"
            let result = lab.shell(
                "cp zoo.realm \(i).realm; $W -q \(way) \(i).realm Animal \(input)")
            #expect(result.status == 0, "\(way): \(result.errorText)")
            digests.insert(digest("\(i).realm"))
        }
        #expect(digests.count == 1)
        // The same records as change records.
        let changes = lines.map { "{\"op\":\"insert\",\"class\":\"Animal\",\"object\":\($0)}" }
        lab.write("in.changes", changes.joined(separator: "\n"))
        #expect(lab.shell("$W -q -1 -m apply zoo.realm - in.changes").status == 0)
        #expect(digests == [digest("zoo.realm")])
    }

    /// New and existing objects in one batch, and the same object twice.
    @Test func batchesMayMixNewAndExistingObjects() {
        let lines = animals(2000)
        lab.write("half.ndjson", lines[..<1000].joined(separator: "\n"))
        lab.write("all.ndjson", (lines + lines[500..<700]).joined(separator: "\n"))
        let script = """
            cp zoo.realm other.realm
            $W -q -1 -m upsert zoo.realm Animal all.ndjson || exit 1
            $W -q -1 -m upsert --links create other.realm Animal half.ndjson || exit 1
            $W --json -1 -m upsert other.realm Animal all.ndjson
            """
        let result = lab.shell(script)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text.contains("\"records\":2200"), "\(result.text)")
        #expect(digest("zoo.realm") == digest("other.realm"))
    }

    /// An explicit null or empty value differs from a missing field, also for existing objects.
    /// Rejected records among them have the same errors.
    @Test(arguments: ["merge", "upsert"], ["-j1", "-j3"])
    func explicitNullsDifferFromMissingFields(mode: String, threads: String) {
        lab.write("all.ndjson", animals(900).joined(separator: "\n"))
        let changes = (0..<1000).map { i in
            switch i % 6 {
            case 0: "{\"id\":\(i),\"friends\":[],\"names\":[]}"
            case 1: "{\"id\":\(i),\"mother\":null,\"scores\":{}}"
            case 2: "{\"id\":\(i),\"weight\":1,\"tag\":null,\"any\":null}"
            case 3: "{\"id\":\(i),\"mother\":\(i / 2),\"name\":\"x\"}"
            case 4: "{\"id\":\(i),\"friends\":[\(i)],\"any\":[]}"
            default: i % 5 == 0 ? "{\"id\":\(i),\"weight\":\"much\"}" : "{\"id\":\(i)}"
            }
        }
        lab.write("in.ndjson", changes.joined(separator: "\n"))
        let skip = "--on-error skip --max-errors 100 -m \(mode) --rejects"
        let script = """
            $W -q -1 zoo.realm Animal all.ndjson || exit 1
            cp zoo.realm other.realm
            $W -q --commit-records 5000 \(threads) \(skip) a zoo.realm Animal in.ndjson
            $W -q --commit-records 1 \(skip) b other.realm Animal in.ndjson
            """
        _ = lab.shell(script)
        #expect(digest("zoo.realm") == digest("other.realm"))
        #expect(lab.text("a") == lab.text("b"))
        #expect(lab.text("a").split(separator: "\n").count == 34)
        #expect(lab.shell("$Q -c other.realm Animal 'name == \"x\"'").text == "167\n")
    }

    /// A duplicate primary key is reported at its record, regardless of the number of records read
    /// before.
    @Test(arguments: ["-j1", "-j2", "-j3"]) func duplicateKeysAreReportedAtTheirRecord(
        threads: String
    ) {
        var lines = animals(1500)
        lines[1100] = "{\"id\":4,\"weight\":1}"
        lines.insert("", at: 700)
        lab.write("in.ndjson", lines.joined(separator: "\n"))
        let stopped = lab.shell("$W -1 \(threads) zoo.realm Animal in.ndjson")
        #expect(stopped.status == 8, "\(stopped.status)")
        #expect(
            stopped.errorText.contains("record 1101, line 1102, column 1"), "\(stopped.errorText)")
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "0\n")
        let skipped = lab.shell(
            "$W --json --on-error skip \(threads) --rejects r zoo.realm Animal in.ndjson")
        #expect(skipped.text.contains("\"rejected\":"), "\(skipped.text)")
        #expect(lab.text("r").contains("\"record\":1101,\"line\":1102,"), "\(lab.text("r"))")
    }

    /// The first version in the report of a load is the one before its first transaction, not the
    /// one at which the file was opened.
    @Test func reportsContainTheVersionBeforeTheLoad() throws {
        let path = lab.path("zoo.realm")
        let session = try WriteSession(path: path)
        let words = ["-q", "--json", path, "Animal"]
        let request = try WriteRequest(try OptionParser.parse(WriteTable.table, words[...]))
        let output = try OutputFile(path: lab.path("out"), force: true)
        let report = try LoadReport(request, input: "-", output)
        let load = try RecordLoad(
            request, className: "Animal", session, session.database.schema,
            RecordInput(Array("{\"id\":1,\"weight\":1}\n".utf8), name: "-", .ndjson), report)
        let opened = session.database.version
        #expect(lab.shell("echo '{\"id\":2,\"weight\":1}' | $W -q zoo.realm Animal").status == 0)
        #expect(try load.run() == .ok)
        try output.commit()
        #expect(
            lab.text("out").contains("\"fromVersion\":\(opened + 1),\"version\":\(opened + 2)"),
            "\(lab.text("out"))")
    }

    /// While a commit becomes durable, records of the next large transaction are read ahead within
    /// a limit.
    @Test(arguments: ["-j1", "-j2"]) func recordsAreReadAheadWithinALimit(threads: String) throws {
        let session = try WriteSession(path: lab.path("zoo.realm"))
        let words = ["-q", threads, "--commit-records", "20000", lab.path("zoo.realm"), "Animal"]
        let request = try WriteRequest(try OptionParser.parse(WriteTable.table, words[...]))
        let name = String(repeating: "long name ", count: 60)
        let lines = (0..<50_000).map { "{\"id\":\($0),\"weight\":1,\"name\":\"\(name)\"}\n" }
        let report = try LoadReport(
            request, input: "-", try OutputFile(path: nil, force: false))
        let step = SlowCommits(DirectCommits(session, request))
        let load = try RecordLoad(
            request, className: "Animal", session, session.database.schema,
            RecordInput(Array(lines.joined().utf8), name: "-", .ndjson), report, step: step)
        #expect(try load.run() == .ok)
        #expect(lab.shell("$Q -c zoo.realm Animal").text == "50000\n")
        #expect(step.largest < 10 << 20, "\(step.largest) bytes")
    }
}

/// Commits of which the first becomes durable only after reading ahead has stopped.
private final class SlowCommits: CommitStep {
    private let commits: DirectCommits
    private var turns = 0
    /// Maximum size in bytes of the records that were read and not yet written.
    private(set) var largest = 0

    init(_ commits: DirectCommits) { self.commits = commits }

    var isEager: Bool { false }
    var hasPendingCommits: Bool { turns > 0 }
    var writeStatistics: WriteSession.WriteStatistics { commits.writeStatistics }
    var wake: @Sendable () -> Void { {} }

    func perform(_ load: RecordLoad) throws(RealmError) { try commits.perform(load) }
    func begin() throws(RealmError) -> WriteTransaction { try commits.begin() }
    func restart(_ transaction: WriteTransaction) { commits.restart(transaction) }
    func abandon(_ transaction: WriteTransaction?) { commits.abandon(transaction) }

    func commit(
        _ transaction: WriteTransaction, hasChanged: Bool, _ load: RecordLoad
    ) throws(RealmError) {
        try commits.commit(transaction, hasChanged: hasChanged, load)
        if largest == 0 { (turns, largest) = (300, 1) }
    }

    func work(_ load: RecordLoad, _ milliseconds: Int32) {
        if largest > 0, load.queue.waitingBytes > largest {
            (turns, largest) = (300, load.queue.waitingBytes)
        } else {
            turns = max(0, turns - 1)
        }
        _ = poll(nil, 0, 1)
    }

    func idle() {}
    func finish(_ load: RecordLoad) {}
    func drain(_ load: RecordLoad) {}
}
