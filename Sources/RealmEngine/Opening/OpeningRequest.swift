/// Configuration of an opening: the file, how it is prepared first, and the classes it should have
/// (API specification 2.2, 2.14).
public struct OpeningRequest: Sendable {
    /// Decides whether to compact a file, given its size and the number of bytes in use.
    public typealias CompactDecision = @Sendable (_ total: Int, _ used: Int) -> Bool

    public var configuration: Instance.Configuration
    /// Path of a database that is copied if the file does not exist; encrypted with the same key.
    public var seedPath: String?
    /// Called when this process opens the file and does not have it open already. The file is not
    /// compacted while other processes have it open.
    public var shouldCompact: CompactDecision?
    /// Whether to open the file for reading only: nothing is changed, and its schema must match.
    public var isReadOnly = false
    /// The classes the file should have; nil for the existing ones.
    public var schema: WantedSchema?

    public init(_ configuration: Instance.Configuration) { self.configuration = configuration }
}

/// The classes of a program and how older files are converted to them. Free to cross threads.
///
/// When a file is opened again with the same object, classes are not compared again.
public final class WantedSchema: Sendable {
    public let classes: [ClassSpec]
    public let version: UInt64
    let path: Path

    /// Conversion of a file that has an older version or other classes.
    public enum Path: Sendable {
        /// Runs the migration after the new classes were added; nil discards properties that are
        /// not wanted.
        case migrate((@Sendable (Migration) throws(RealmError) -> Void)?)
        /// Replaces the file by an empty one.
        case recreate
    }

    /// - Parameter version: higher than the version of every file with other classes; `UInt64.max`
    ///   is not a valid version.
    public init(
        _ classes: [ClassSpec], version: UInt64 = 0, path: Path = .migrate(nil)
    ) {
        self.classes = classes
        self.version = version
        self.path = path
    }
}
