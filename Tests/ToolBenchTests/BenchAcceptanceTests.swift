import RealmEngine
import Testing

@testable import CoreTasks
@testable import ToolBench
@testable import ToolKit
@testable import ToolSupport

/// The contract of all tools with scripts, for `realm-bench`.
@Suite struct BenchAcceptanceTests {
    private let scratch = ScratchDirectory()
    private static let social = "\(packageRoot)/Tests/Fixtures/query/social.realm"

    private func shell(_ script: String) -> ToolProcess {
        ToolProcess.shell(script, tool: "realm-bench")
    }

    /// Saves a result and returns its path. A comparison of the result with itself is the same on
    /// every machine.
    private func saved() -> String {
        let path = scratch.file("saved.json")
        let made = shell(
            "\"$TOOL\" --file '\(Self.social)' -N 5 -r 2 --warmup 0s -q --force --save '\(path)' "
                + "open readseq")
        #expect(made.status == 0, "\(made.errorText)")
        return path
    }

    @Test func outputErrorsHaveExitStatusNine() {
        let saved = saved()
        let requests = [
            "--list", "--compare '\(saved)' '\(saved)'", "--compare '\(saved)' '\(saved)' --json",
            "--compare '\(saved)' '\(saved)' -f csv",
            "--file '\(Self.social)' -N 5 -r 1 --warmup 0s -q --histogram open",
        ]
        for request in requests {
            #expect(shell("\"$TOOL\" \(request) > /dev/full").status == 9, "\(request)")
        }
        let extra = "\"$TOOL\" --file '\(Self.social)' -N 5 -r 1 --warmup 0s -q --force open"
        for option in ["--save", "--hgrm", "--plot"] {
            #expect(shell("\(extra) \(option) /dev/full").status == 9, "\(option)")
        }
    }

    @Test func damagedFilesHaveTheirExitStatuses() throws {
        let whole = try #require(contents(of: Self.social))
        let truncated = scratch.write("short.realm", Array(whole.prefix(whole.count / 2)))
        let result = shell("\"$TOOL\" --file '\(truncated)' -N 5 -r 1 --warmup 0s -q readseq")
        #expect(result.status == 4, "\(result.errorText)")
        #expect(result.output.isEmpty)
    }

    @Test func languageAndTimeZoneDoNotChangeTheOutput() {
        let saved = saved()
        for form in ["text", "json", "csv"] {
            let request = "\"$TOOL\" --compare '\(saved)' '\(saved)' -f \(form)"
            let there = shell("LC_ALL=tr_TR.UTF-8 TZ=Pacific/Auckland \(request)")
            let here = shell("LC_ALL=C TZ=UTC \(request)")
            #expect(here.status == 0 && here.output == there.output, "\(here.errorText)")
            #expect(!here.output.isEmpty)
        }
    }

    @Test func coloursCanBeTurnedOffOnATerminal() {
        let run = shell(
            "command -v script > /dev/null || exit 77; "
                + "NO_COLOR=1 script -qec \"'$TOOL' --help\" /dev/null < /dev/null")
        #expect(run.status == 77 || run.status == 0)
        #expect(!run.output.contains(0x1B))
    }

    /// Every common task writes the same bytes for the same seed.
    @Test func theSameSeedMakesTheSameFileForEveryCommonTask() throws {
        for plan in CoreBench.catalogue.all.filter({ $0.name.hasPrefix("core-") }) {
            func file() throws -> [UInt8] {
                let scratch = ScratchDirectory()
                var setting = BenchSetting()
                (setting.isGenerated, setting.directory, setting.num) = (true, scratch.path, 30)
                (setting.runs, setting.warmup) = (1, .zero)
                (setting.isDurable, setting.keepsFiles) = (false, true)
                _ = try BenchRunner(setting: setting, workloads: [plan]).run()
                let name = try #require(scratch.entries.first)
                return try #require(contents(of: scratch.file(name)))
            }
            #expect(try file() == file(), "\(plan.name)")
        }
    }
}
