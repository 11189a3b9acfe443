import RealmEngine

/// Generates manual pages and completions, for the build. Requested by an undocumented first
/// argument.
enum Generator {
    /// Returns the text for the argument `--generate=KIND`, such as `--generate=man`; nil for any
    /// other `word`.
    static func requested(
        by word: String?, _ table: CommandTable
    ) throws(RealmError) -> String? {
        let prefix = "--generate="
        guard let word, word.hasPrefix(prefix) else { return nil }
        let kind = word.dropFirst(prefix.count)
        switch kind {
        case "man": return ManualPage.source(table)
        case "tools-man": return ToolsPage.source
        case "bash": return BashCompletion.source(table)
        case "zsh": return ZshCompletion.source(table)
        case "fish": return FishCompletion.source(table)
        default: throw .misuse("--generate: '\(kind)' is not man, tools-man, bash, zsh or fish")
        }
    }
}
