@testable import ToolSupport

/// A manual page as rendered on a terminal.
struct RenderedPage {
    /// Titles of the sections with their lines.
    private(set) var sections: [(title: String, lines: [String])] = []

    static let canRender = ToolProcess.has("mandoc")

    /// Renders `man/NAME`, so wide that synopses and examples are not broken.
    init(_ name: String) {
        let run = ToolProcess.shell("mandoc -T ascii -O width=400 '\(packageRoot)/man/\(name)'")
        for line in Self.withoutBackspaces(run.text).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if let first = line.first, first != " ",
                line.allSatisfy({ $0.isUppercase || $0 == " " })
            {
                sections.append((String(line), []))
            } else if let last = sections.indices.last {
                sections[last].lines.append(String(line))
            }
        }
        // The last line is the footer.
        guard let last = sections.indices.last else { return }
        while let line = sections[last].lines.popLast(), line.isEmpty {}
    }

    /// Removes backspaces: bold and underlined letters are printed twice with a backspace in
    /// between.
    private static func withoutBackspaces(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 8 { bytes.removeLast() } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func lines(_ title: String) -> [String] { sections.first { $0.title == title }?.lines ?? [] }

    /// Returns the text of a section without blanks, since rendering changes them.
    func text(_ title: String) -> String { Self.dense(lines(title).joined()) }

    static func dense(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
