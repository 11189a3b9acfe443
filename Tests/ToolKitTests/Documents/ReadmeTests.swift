import Testing

@testable import ToolBench
@testable import ToolKit
@testable import ToolQuery
@testable import ToolSupport

/// The commands in the README print the output that the README shows.
@Suite struct ReadmeTests {
    private static let text = String(
        decoding: contents(of: packageRoot + "/README.md") ?? [], as: UTF8.self)
    private static let blocks = ConsoleBlock.tested(in: text)

    @Test func theReadmeHasExamples() { #expect(Self.blocks.count >= 6) }

    @Test(arguments: blocks.indices)
    func examplesPrintTheShownOutput(_ index: Int) {
        let block = Self.blocks[index]
        let steps = block.run()
        #expect(steps.count == block.steps.count, "README.md:\(block.line)")
        for (shown, now) in zip(block.steps, steps) {
            #expect(shown.output == now.output, "README.md:\(block.line): \(shown.command)")
        }
    }

    /// The commands under "Install", with the executables already built in place of the release
    /// build.
    @Test func installCopiesEveryFile() throws {
        let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```sh"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        #expect(lines[start + 1] == "swift build -c release --product realm-query &&")
        let steps = lines[(start + 2)..<end].map { line in
            line.split(separator: " ").map { word in
                word.hasPrefix(".build/release/") ? "${TOOL%/*}/" + word.dropFirst(15) : word
            }.joined(separator: " ")
        }
        let script = """
            cd '\(packageRoot)' && PREFIX=$(mktemp -d) || exit
            \(steps.joined(separator: "\n"))
            cd "$PREFIX" && find -L . -type f | sort
            for tool in bin/*; do "$tool" --version | head -n 1; done
            rm -r "$PREFIX"
            """
        let result = ToolProcess.shell(script)
        #expect(result.errorText == "")
        let installed = result.text.split(separator: "\n")
        for tool in [QueryTable.table.name, BenchTable.table.name] {
            for place in [
                "bin/\(tool)", "share/man/man1/\(tool).1", "share/zsh/site-functions/_\(tool)",
                "share/bash-completion/completions/\(tool).bash",
                "share/fish/vendor_completions.d/\(tool).fish",
            ] { #expect(installed.contains { $0 == "./" + place }, "\(place)") }
            // All tools are one program, which acts by the name under which it is called.
            #expect(installed.contains { $0.hasPrefix(tool + " ") }, "\(tool)")
        }
        #expect(installed.contains("./share/man/man7/realm-tools.7"))
    }

    /// The README shows a program exactly as in its source file, where it is built and run.
    @Test func programsEqualTheirSources() throws {
        let parts = Self.text.split(separator: "\n<!-- Tests/").dropFirst()
        #expect(parts.count == 1)
        for part in parts {
            let path = try #require(part.split(separator: " ").first)
            let code = try #require(part.split(separator: "\n```").dropFirst().first)
            let shown = code.drop { $0 != "\n" }.dropFirst() + "\n"
            let source = contents(of: packageRoot + "/Tests/" + path) ?? []
            #expect(String(shown) == String(decoding: source, as: UTF8.self), "\(path)")
        }
    }

    @Test func blocksAreParsed() {
        let text = """
            <!-- test -->
            ```console
            $ printf 'a\\nb\\n' \\
                | cat
            a
            b
            $ false
            $ echo $?
            1
            ```
            ```console
            $ rm -r /
            ```
            """
        let blocks = ConsoleBlock.tested(in: text)
        #expect(blocks.count == 1)
        #expect(blocks[0].line == 2)
        #expect(blocks[0].steps.map(\.output) == ["a\nb\n", "", "1\n"])
        #expect(blocks[0].run() == blocks[0].steps)
    }
}
