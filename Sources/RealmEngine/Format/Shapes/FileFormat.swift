/// Numbers of file formats (storage format 1.1). Format 24 is the only one that is written.
enum FileFormat {
    /// The format of realm-core 14, and of every file that is written.
    static let current = 24
    /// Formats whose tables have no keys (storage format 8). They are read and never written.
    static let legacy = 2...9
    /// Readable formats whose tables have keys.
    static let keyed = [10, 11, 20, 21, 22, 23, 24]

    static func isRead(_ format: Int) -> Bool { legacy.contains(format) || keyed.contains(format) }
}
