import Testing

@testable import ToolKit
@testable import ToolSupport
@testable import ToolVersion

/// The executables, run as from a script.
@Suite struct ToolRunTests {
    private static let tools = [
        "realm-query", "realm-write", "realm-compact", "realm-versions", "realm-bench",
    ]

    @Test(arguments: tools)
    func versionListsCapabilities(tool: String) {
        let result = ToolProcess.run(tool, ["--version"])
        #expect(result.status == 0)
        let version = ToolVersion.text(release: Capabilities.version)
        #expect(result.text == Capabilities.text(tool: tool, version: version))
        #expect(version.contains(#/^[0-9]+\.[0-9.]+(?:-[0-9]+)?(?:-g[0-9a-f]+)?$/#), "\(version)")
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: tools)
    func helpGoesToStandardOutput(tool: String) {
        for option in ["-h", "--help"] {
            let result = ToolProcess.run(tool, [option])
            #expect(result.status == 0)
            #expect(result.text.contains("realm-"))
            #expect(!result.output.contains(0x1B))
            #expect(result.errors.isEmpty)
        }
    }

    @Test(arguments: ["-h", "--help", "-V", "--generate=man"])
    func aFullDeviceHasExitStatusNine(option: String) {
        let result = ToolProcess.shell("\"$TOOL\" \(option) > /dev/full")
        #expect(result.status == 9)
        #expect(result.errorText.contains("standard output"))
    }

    @Test func aClosedOutputHasExitStatusNine() {
        #expect(ToolProcess.shell("\"$TOOL\" -V >&-").status == 9)
        #expect(ToolProcess.shell("\"$TOOL\" -V >&- 2>&- <&-").status == 9)
    }

    @Test(arguments: ["", "trap '' PIPE; "])
    func aBrokenPipeIsSilent(prelude: String) {
        // The reader exits before the tool writes, whether or not SIGPIPE is ignored.
        let result = ToolProcess.shell(
            "\(prelude){ sleep 0.2; \"$TOOL\" --help; echo $? >&2; } | :")
        #expect(result.errorText == "141\n")
    }

    @Test func usageErrorsArePrintedAsTextAndJSON() {
        let text = ToolProcess.run("realm-query", ["--feilds"])
        #expect(text.status == 2)
        #expect(text.output.isEmpty)
        #expect(text.errorText.hasPrefix("realm-query: unknown option --feilds\nhint: "))
        let json = ToolProcess.run("realm-query", ["--json", "--feilds"])
        #expect(json.status == 2)
        #expect(json.errorText.hasPrefix("{\"error\":{\"code\":\"InvalidArgument\""))
        #expect(json.errors.filter { $0 == 0x0A }.count == 1)
        let operand = ToolProcess.run("realm-query", ["--feilds", "--", "--json"])
        #expect(operand.errorText.hasPrefix("realm-query: "))
    }

    @Test func unknownGeneratorsAreUsageErrors() {
        #expect(ToolProcess.run("realm-query", ["--generate=pdf"]).status == 2)
        #expect(ToolProcess.run("realm-query", ["f", "--generate=man"]).status == 2)
    }
}
