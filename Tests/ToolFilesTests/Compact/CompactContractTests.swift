import Glibc
import Testing

@testable import RealmEngine
@testable import ToolKit
@testable import ToolSupport

/// The contract of all tools, for `realm-compact`: exit codes, failing outputs, unchanged files.
@Suite struct CompactContractTests {
    @Test(arguments: [
        "-n app.realm", "-n --json app.realm", "-n -f ndjson app.realm", "--check app.realm",
        "--check=quick app.realm", "--check --json app.realm", "--check -f ndjson app.realm",
        "--analyze app.realm", "--analyze --json app.realm", "--analyze --top 3 app.realm",
        "--json app.realm", "--json --if-free 99% app.realm", "--json -o x.realm app.realm",
        "-h", "--help", "-V", "--generate=man",
    ])
    func aFullDiskIsReported(_ words: String) throws {
        let lab = try CompactLab()
        let run = lab.shell("$C \(words) > /dev/full")
        #expect(run.status == 9, "\(run.errorText)")
        #expect(lab.hasNoTemporaryFiles)
    }

    @Test(arguments: ["--check -f ndjson", "--check", "--analyze", "-n --json", "--json"])
    func closedPipeEndsSilently(_ words: String) throws {
        let lab = try CompactLab()
        let run = lab.shell("{ sleep 0.1; $C \(words) app.realm; } | :; exit ${PIPESTATUS[0]}")
        #expect(run.status == 141, "\(run.status)")
        #expect(run.errors.isEmpty && lab.hasNoTemporaryFiles, "\(run.errorText)")
        #expect(lab.shell("$C --check -q app.realm").status == 0)
    }

    @Test func errorsHaveTheirExitCodes() throws {
        let lab = try CompactLab()
        lab.scratch.write("key", [UInt8](repeating: 7, count: 64))
        lab.scratch.write("short", [1, 2, 3])
        lab.scratch.write("noise", (0..<20000).map { _ in UInt8.random(in: 0...255) })
        _ = lab.shell("head -c 8192 app.realm > cut.realm; head -c 24 app.realm > stub.realm")
        for action in ["", "-o x.realm", "--check", "--analyze", "-n"] {
            for (words, status) in [
                ("nothing.realm", 3), ("noise", 3), ("cut.realm", 4), ("stub.realm", 4),
                ("-K key app.realm", 5), ("-K short app.realm", 5), ("-K none app.realm", 5),
            ] {
                let run = lab.shell("$C \(action) \(words)")
                #expect(
                    run.status == Int32(status),
                    "\(action) \(words): \(run.status) \(run.errorText)")
                if words == "noise" {
                    #expect(run.errorText.contains("not a Realm file, or encrypted"))
                }
            }
        }
        #expect(lab.hasNoTemporaryFiles && lab.size("x.realm") < 0)
    }

    /// Files of formats before 24 are neither rewritten nor upgraded. A conversion between old
    /// formats is refused, too.
    @Test func filesOfOlderFormatsStayUnchanged() throws {
        let lab = try CompactLab()
        for format: UInt8 in [10, 20, 22, 23] {
            let name = "old\(format).realm"
            _ = lab.shell("cp app.realm \(name)")
            for at in 20...21 { lab.damage(name, at: at, format) }
            let before = contents(of: lab.path(name))
            let run = lab.shell("$C \(name)")
            #expect(run.status == 6, "\(format): \(run.errorText)")
            #expect(run.errorText.contains("\(format)"))
            #expect(lab.shell("$C --to-format 24 \(name)").status == 6)
            #expect(contents(of: lab.path(name)) == before)
            let versions = lab.shell("${C%compact}versions -g format \(name)")
            #expect(versions.text == "\(format)\n", "\(versions.errorText)")
        }
    }

    /// In a read-only directory, reports work and change nothing.
    @Test func reportsChangeNothing() throws {
        let lab = try CompactLab()
        let run = lab.shell(
            """
            rm -rf app.realm.*
            state() { stat -c %y .; ls -lA --time-style=full-iso; sha256sum app.realm; }
            state > ../$$.before; chmod 555 .
            for o in --check --check=quick --analyze -n '--check --json' '--at previous --check'; do
                $C $o app.realm > /dev/null || echo "$o"
            done
            state > ../$$.after; chmod 700 .; cmp ../$$.before ../$$.after; rm ../$$.before ../$$.after
            """)
        #expect(run.text.isEmpty && run.status == 0, "\(run.text)\(run.errorText)")
    }

    @Test func outputDoesNotDependOnTheEnvironment() throws {
        let lab = try CompactLab()
        let script = """
            exec 2>&1; $C --check app.realm | sed 's/ in [0-9.]* .*//'; $C --analyze --top 2 app.realm
            $C --check -f ndjson app.realm; $C -n app.realm | grep -v 'on the device'; $C -h; $C x
            """
        let there = lab.shell("export LC_ALL=tr_TR.UTF-8 TZ=Pacific/Auckland; " + script)
        let here = lab.shell("export LC_ALL=C TZ=UTC; " + script)
        #expect(there.output == here.output)
        #expect(!here.output.isEmpty)
    }

    /// The bytes of a key are only in its file.
    @Test func outputNeverContainsTheKey() throws {
        let lab = try CompactLab()
        let hex = String(repeating: "5eC2e7", count: 22).prefix(128)
        lab.scratch.write("key", Array(hex.utf8))
        for tool in ["$C --check", "$C -n", "$C", "${C%compact}versions"] {
            let run = lab.shell(
                """
                ( exec 3>&1; \(tool) -v -K key --wait=300ms app.realm 2>&1 >&3 & p=$!
                  cat /proc/$p/cmdline /proc/$p/environ 2> /dev/null | tr '\\0' '\\n'; wait $p )
                """)
            #expect(!run.text.contains("5eC2e7") && !run.errorText.contains("5eC2e7"), "\(tool)")
        }
    }
}
