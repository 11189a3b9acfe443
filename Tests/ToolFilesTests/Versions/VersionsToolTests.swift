import RealmEngine
import Testing

@testable import ToolFiles
@testable import ToolKit
@testable import ToolSupport

/// `realm-versions` on files without a session, called from scripts.
@Suite struct VersionsToolTests {
    private let social = QueryRun.social

    private func run(_ arguments: String...) -> ToolProcess {
        ToolProcess.run("realm-versions", arguments)
    }

    private func shell(_ script: String) -> ToolProcess {
        ToolProcess.shell(script, tool: "realm-versions")
    }

    @Test func getPrintsSingleFacts() {
        let found = run("-g", "format", "-g", "schema-version", "-g", "encrypted", social)
        #expect(found.text == "24\n0\nfalse\n" && found.status == 0)
        let unknown = run("-g", "format", "-g", "lock-layout", social)
        #expect(unknown.text == "24\n\n" && unknown.status == 1)
        #expect(unknown.errorText.contains("lock-layout"))
        #expect(run("-g", "formt", social).status == 2)
    }

    /// Every key has a value for a plain file, except keys that require a session.
    @Test func everyKeyHasAValue() throws {
        let json = try StrictJSON(run("--json", social).text)
        for key in FactKey.allCases {
            let member = try #require(json[key.member], "\(key)")
            if key != .lockLayout { #expect(member != .null, "\(key)") }
            if key == .lockLayout || key == .openers { continue }
            let value = run("-g", key.rawValue, social)
            #expect(value.status == 0)
            let text = String(value.text.dropLast())
            #expect(
                member == .number(text) || member == .string(text)
                    || member == .bool(text == "true"), "\(key)")
        }
    }

    @Test(arguments: [
        ("format=24", true), ("format<=24", true), ("format!=24", false), ("format>=25", false),
        ("encrypted=false", true), ("compact=true", false), ("bytes<1MiB", true),
        ("bytes>1k", true), ("free-percent>50", true), ("free-percent<=50.5%", false),
        ("history=in-realm", true), ("history!=none", true), ("lock-layout=null", true),
        ("version==2", true), ("objects=0x21", true), ("openers<1000", true),
    ])
    func expectationsDecideTheExitStatus(_ expression: String, _ holds: Bool) {
        let found = run("-E", expression, social)
        #expect(found.status == (holds ? 0 : 1))
        #expect(found.output == [])
        #expect(found.errorText.contains("expected \(expression), found") == !holds)
    }

    @Test(arguments: [
        "format", "format~24", "formt=24", "format=", "format=new", "compact=yes", "history<none",
        "free-percent=1.25", "",
    ])
    func malformedExpectationsAreRefused(_ expression: String) {
        let found = run("-E", expression, social)
        #expect(found.status == 2, "\(expression)")
        #expect(found.errorText.contains("--expect"))
    }

    @Test func allExpectationsAreChecked() {
        let found = run("-E", "format=1", "-E", "format=24", "-E", "schema-version=7", social)
        #expect(found.status == 1)
        #expect(found.errorText.split(separator: "\n").count == 2)
    }

    @Test func severalFilesAreReported() throws {
        let list = run("--list", social, QueryRun.fixture("query/types.realm"))
        #expect(list.text.split(separator: "\n").count == 3 && list.status == 0)
        let json = try StrictJSON(run("--json", social, social).text)
        #expect(json.array?.count == 2)
        let mixed = run("-f", "ndjson", social, "/nowhere/at-all.realm")
        #expect(mixed.text.split(separator: "\n").count == 1 && mixed.status == 3)
    }

    @Test func theTextReportHasEverySection() {
        let text = run("--slots", "--growth", social).text
        for word in ["format", "in-realm, 1 entry", "live data", "pinned", "verified", "selected"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    /// After most objects were deleted, the report suggests a command that shrinks the file.
    @Test func mostlyFreeFilesGetASuggestion() throws {
        let scratch = ScratchDirectory()
        let path = scratch.path + "/a.realm"
        var options = WriteSession.Options()
        options.creates = true
        let session = try WriteSession(path: path, options: options)
        let filling = try session.begin()
        let table = try filling.createClass("C")
        try filling.addProperty(table, PropertySpec("bytes", .binary))
        let bytes = [UInt8](repeating: 7, count: 4 << 20)
        let key = try filling.create(in: table)
        try bytes.withUnsafeBytes {
            let view = ByteView($0.baseAddress!, count: $0.count)
            try filling.set(table, key, 0, .binary(view))
        }
        try filling.commit()
        #expect(!run(path).text.contains("realm-compact"))
        let removing = try session.begin()
        try removing.remove(table, key)
        try removing.commit()
        // Until the next commit, the previous version keeps the space.
        try session.begin().commit()
        #expect(run(path).text.contains("realm-compact"))
    }

    @Test func historyIsListed() throws {
        let scratch = ScratchDirectory()
        let path = scratch.write("a.realm", contents(of: social) ?? [])
        let found = shell(
            "${TOOL%/*}/realm-write -q --where 'age > 40' --set age=41 '\(path)' Person; "
                + "$TOOL --history=1 '\(path)'")
        let entry = try StrictJSON(String(found.text.dropLast()))
        #expect(entry["version"] == .number("3"))
        #expect(entry["tables"]?.array?.count == 1)
        #expect(run("--history", social, social).status == 2)
    }

    @Test(arguments: [
        ["--space-map", "x.svg", "--list"], ["--plot", "x.svg"], ["-g", "format", "--json"],
        ["-w", "-f", "text"],
        ["--watch", "-E", "format=24"], ["--list", "--slots"], ["--openers", "--no-openers"],
    ])
    func contradictoryOptionsAreRefused(_ options: [String]) {
        #expect(ToolProcess.run("realm-versions", options + [social]).status == 2, "\(options)")
    }

    // MARK: Invalid and truncated files

    @Test func errorsHaveTheirExitCodes() {
        let scratch = ScratchDirectory()
        let whole = contents(of: social) ?? []
        let random = (0..<20000).map { _ in UInt8.random(in: 0...255) }
        #expect(run("/nowhere/at-all.realm").status == 3)
        #expect(run(scratch.path).status == 3)
        let noise = run(scratch.write("noise", random))
        #expect(noise.status == 3)
        #expect(noise.errorText.contains("not a Realm file, or encrypted"))
        let cut = run("-f", "ndjson", scratch.write("cut", Array(whole[..<6000])))
        #expect(cut.status == 4)
        #expect(cut.text.contains("\"damage\":\"") && cut.text.contains("\"bytes\":6000"))
        let key = scratch.write("key", [UInt8](repeating: 7, count: 64))
        #expect(run("-K", key, social).status == 5)
        #expect(run("-K", scratch.write("short", [1, 2, 3]), social).status == 5)
    }

    /// An encrypted file begins with counters and authentication codes.
    @Test func encryptedFilesAreRecognised() {
        let scratch = ScratchDirectory()
        var bytes = (0..<12288).map { _ in UInt8.random(in: 1...255) }
        for entry in 0..<64 {
            let isUsed = entry < 2
            for i in 0..<64 where !isUsed || i >= 32 { bytes[entry * 64 + i] = 0 }
            if isUsed { bytes.replaceSubrange(entry * 64..<entry * 64 + 4, with: [1, 0, 0, 0]) }
        }
        let path = scratch.write("secret.realm", bytes)
        let found = run("-g", "encrypted", "-g", "bytes", path)
        #expect(found.text == "true\n12288\n" && found.status == 0)
        #expect(run("-E", "encrypted=false", path).status == 1)
        #expect(run("-g", "version", path).status == 1)
        #expect(run("--history", path).status == 5)
        #expect(run(path).text.contains("encrypted       yes"))
    }

    // MARK: Output

    @Test(arguments: [
        "-g format", "-f text", "--json", "-f ndjson", "--list", "--history", "--watch=10ms",
        "--slots",
    ])
    func aFullDiskIsReported(_ options: String) {
        #expect(shell("$TOOL \(options) '\(social)' > /dev/full").status == 9, "\(options)")
    }

    @Test func closedPipeEndsSilently() {
        let found = shell("$TOOL --watch=5ms '\(social)' | head -1; exit ${PIPESTATUS[0]}")
        #expect(found.status == 141)
        #expect(found.errors == [])
        #expect(found.text.split(separator: "\n").count == 1)
    }

    @Test func outputDoesNotDependOnTheEnvironment() {
        let script =
            "$TOOL --no-openers --slots --growth '\(social)'; "
            + "$TOOL --no-openers --json '\(social)'"
        let there = shell("export LC_ALL=tr_TR.UTF-8 TZ=Pacific/Auckland; " + script)
        let here = shell("export LC_ALL=C TZ=UTC; " + script)
        #expect(there.output == here.output && here.status == 0)
        let colours = shell("NO_COLOR=1 $TOOL --help; $TOOL '\(social)'")
        #expect(!colours.output.contains(0x1B))
    }

    @Test func outputFileIsNotOverwritten() {
        let scratch = ScratchDirectory()
        let path = scratch.write("out", [1])
        #expect(run("-o", path, social).status == 2)
        #expect(contents(of: path) == [1])
        #expect(run("--force", "-o", path, social).status == 0)
        let copy = scratch.write("copy.realm", contents(of: social) ?? [])
        for option in ["-o", "--map"] {
            #expect(run("--force", option, copy, copy).status == 2, "\(option)")
        }
        #expect(contents(of: copy) == contents(of: social))
    }

    /// Nothing is written, created or touched, even next to an unused lock file.
    @Test func reportsChangeNothing() {
        let scratch = ScratchDirectory()
        scratch.write("a.realm", contents(of: social) ?? [])
        scratch.write("b.realm", contents(of: social) ?? [])
        scratch.write("b.realm.lock", [UInt8](repeating: 0, count: 1728))
        let found = shell(
            """
            cd '\(scratch.path)'; mkdir -p a.realm.management
            state() { stat -c %y .; ls -lAR --time-style=full-iso; sha256sum a.realm b.realm b.realm.lock; }
            state > ../$$.before; chmod 555 .
            for o in '' --json --slots --growth --history --list '-g format' '-E format=24'; do
                $TOOL $o a.realm > /dev/null || exit 1
            done
            timeout -s KILL 0.2 $TOOL --watch=10ms b.realm > /dev/null
            $TOOL b.realm > /dev/null || exit 1
            chmod 700 .; state > ../$$.after; cmp ../$$.before ../$$.after; status=$?
            rm ../$$.before ../$$.after; rmdir a.realm.management; exit $status
            """)
        #expect(found.status == 0, "\(found.text)\(found.errorText)")
    }

    @Test func spaceMapsAreCompleteSVGDocuments() {
        let scratch = ScratchDirectory()
        let map = scratch.file("map.svg")
        #expect(run("--space-map", map, social).status == 0)
        let picture = String(decoding: contents(of: map) ?? [], as: UTF8.self)
        #expect(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
        #expect(picture.contains("prefers-color-scheme:dark"))
        for word in ["Space of social.realm", ">free<", ">bookkeeping<"] {
            #expect(picture.contains(word), "\(word)")
        }
        let plot = shell(
            """
            cd '\(scratch.path)'
            timeout -s KILL 0.5 $TOOL --watch=20ms --plot live.svg '\(social)' > log
            head -1 log > one; $TOOL --plot later.svg - < one &&
            grep -q "^</svg>" live.svg && grep -q "^</svg>" later.svg
            """)
        #expect(plot.status == 0, "\(plot.errorText)")
    }
}
