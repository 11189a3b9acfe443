/// Numbers of file formats (storage format 1.1). Format 24 is the only one that is written.
enum FileFormat {
    /// The format of realm-core 14, in which all files are written.
    static let current = 24
    /// Formats whose tables have no keys (storage format 8). They can be read but not written.
    static let legacy = 2...9
    /// Formats whose tables have keys, and which can be read.
    static let keyed = [10, 11, 20, 21, 22, 23, 24]

    static func isRead(_ format: Int) -> Bool { legacy.contains(format) || keyed.contains(format) }
}
