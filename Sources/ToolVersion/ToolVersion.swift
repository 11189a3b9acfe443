/// The version that `--version` prints.
public enum ToolVersion {
    /// Description by git, such as `1.2.3-14-g5aa95ee`; release and commit without a tag; the release
    /// alone without git.
    public static func text(release: String) -> String {
        text(described: described, release: release)
    }

    static func text(described: String, release: String) -> String {
        switch described.first {
        case nil: release
        case "v": String(described.dropFirst())
        case "g": "\(release)-\(described)"
        default: described
        }
    }
}
