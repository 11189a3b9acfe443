/// A piece of manual text. Words between grave accents are literal.
package enum ManualBlock: Sendable {
    case paragraph(String)
    /// Lines shown as they are: commands, records, files.
    case literal([String])
    /// A term and what it means.
    case definitions([(term: String, text: String)])
    /// A one-line caption and the command it explains.
    case example(String, [String])
}

/// A heading of a manual page and what stands under it.
package struct ManualSection: Sendable {
    /// In capitals.
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

    /// SEE ALSO: the other pages of ours, behind those of others.
    package static func seeAlso(from page: String, and others: [String] = []) -> ManualSection {
        let pages = others + pages.filter { !$0.hasPrefix(page + "(") }
        return ManualSection(
            "SEE ALSO", [.paragraph(pages.map { "`\($0)`" }.joined(separator: ", "))])
    }
}
