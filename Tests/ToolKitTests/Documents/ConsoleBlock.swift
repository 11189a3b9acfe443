@testable import ToolSupport

/// An example in a document: commands after `$ `, each followed by its output on either stream.
struct ConsoleBlock {
    struct Step: Equatable {
        /// A command. A line that ends in a backslash continues on the next line.
        var command: String
        var output: String
    }

    let line: Int
    var steps: [Step] = []

    /// Parses the console blocks of `text` that directly follow a line `<!-- test -->`.
    static func tested(in text: String) -> [ConsoleBlock] {
        var blocks: [ConsoleBlock] = []
        var previous = ""
        var isInside = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (i, line) in lines.enumerated() {
            if isInside {
                if line == "```" { isInside = false } else { blocks[blocks.count - 1].add(line) }
            } else if line == "```console", previous == "<!-- test -->" {
                blocks.append(ConsoleBlock(line: i + 1))
                isInside = true
            }
            previous = String(line)
        }
        return blocks
    }

    private mutating func add(_ line: Substring) {
        if let last = steps.indices.last, steps[last].command.hasSuffix("\\") {
            steps[last].command += "\n" + line
        } else if line.hasPrefix("$ ") {
            steps.append(Step(command: String(line.dropFirst(2)), output: ""))
        } else if let last = steps.indices.last {
            steps[last].output += line + "\n"
        }
    }
}

extension ConsoleBlock {
    /// Runs the commands one after the other in one shell at the root of the package, and returns
    /// them with their current output.
    ///
    /// `swift run -q TOOL` runs the executable that is already built, because a build is in
    /// progress.
    func run() -> [Step] {
        let mark = "\u{1}"
        let setUp = """
            cd '\(packageRoot)' && PATH=${TOOL%/*}:$PATH; exec 2>&1
            swift() { "${@:3}"; }

            """
        let script = steps.map { step in
            "\(step.command)\nstatus=$?; printf '\(mark)'; (exit $status)\n"
        }
        let result = ToolProcess.shell(setUp + script.joined())
        let outputs = result.text.split(
            separator: Character(mark), omittingEmptySubsequences: false)
        return zip(steps, outputs).map { Step(command: $0.command, output: String($1)) }
    }
}
