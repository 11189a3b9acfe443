/// The version that `--version` prints.
public enum ToolVersion {
    /// What git describes, such as `1.2.3-14-g5aa95ee`; the release and the commit where no tag is
    /// known, the release alone where git knows nothing.
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
