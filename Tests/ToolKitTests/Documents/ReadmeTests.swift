import Testing

/// The README shows commands with what they print; both are true.
@Suite struct ReadmeTests {
    private static let blocks: [ConsoleBlock] = {
        let bytes = contents(of: packageRoot + "/README.md") ?? []
        return ConsoleBlock.tested(in: String(decoding: bytes, as: UTF8.self))
    }()

    @Test func hasExamples() { #expect(Self.blocks.count >= 6) }

    @Test(arguments: blocks.indices)
    func examplesPrintWhatTheyShow(_ index: Int) {
        let block = Self.blocks[index]
        let steps = block.run()
        #expect(steps.count == block.steps.count, "README.md:\(block.line)")
        for (shown, now) in zip(block.steps, steps) {
            #expect(shown.output == now.output, "README.md:\(block.line): \(shown.command)")
        }
    }

    @Test func blocksAreFound() {
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
