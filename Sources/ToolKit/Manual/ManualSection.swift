/// A piece of manual text. Words between grave accents are literal.
enum ManualBlock: Sendable {
    case paragraph(String)
    /// Lines shown as they are: commands, records, files.
    case literal([String])
    /// A term and what it means.
    case definitions([(term: String, text: String)])
    /// A one-line caption and the command it explains.
    case example(String, [String])
}

/// A heading of a manual page and what stands under it.
struct ManualSection: Sendable {
    /// In capitals.
    let title: String
    let blocks: [ManualBlock]

    init(_ title: String, _ blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}
