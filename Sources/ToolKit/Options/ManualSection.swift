/// A block of manual text. Text between grave accents is literal.
package enum ManualBlock: Sendable {
    case paragraph(String)
    /// Lines shown verbatim: commands, records, files.
    case literal([String])
    /// Terms and their meanings.
    case definitions([(term: String, text: String)])
    /// A one-line caption and a command.
    case example(String, [String])
}

/// A section of a manual page: its title and its blocks.
package struct ManualSection: Sendable {
    /// Title in capitals.
    let title: String
    let blocks: [ManualBlock]

    package init(_ title: String, _ blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}

extension ManualSection {
    private static let pages = [
        "realm-bench(1)", "realm-compact(1)", "realm-query(1)", "realm-versions(1)",
        "realm-write(1)", "realm-tools(7)",
    ]

    /// Returns the section SEE ALSO. It lists `others`, then the other pages of this project.
    package static func seeAlso(from page: String, and others: [String] = []) -> ManualSection {
        let pages = others + pages.filter { !$0.hasPrefix(page + "(") }
        return ManualSection(
            "SEE ALSO", [.paragraph(pages.map { "`\($0)`" }.joined(separator: ", "))])
    }
}
