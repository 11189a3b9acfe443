import RealmEngine

/// What only the build asks for: pages and completions, by a first argument nobody documents.
enum Generator {
    /// The text of `--generate=KIND`; nil when `word` is anything else.
    static func requested(
        by word: String?, _ table: CommandTable
    ) throws(RealmError) -> String? {
        nil
    }
}

enum HelpText {
    static func short(_ table: CommandTable) -> String { table.summary + "\n" }
    static func full(_ table: CommandTable) -> String { table.summary + "\n" }
}
