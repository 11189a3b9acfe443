/// Configuration for opening a database: the file, how the file is prepared first, and the classes
/// that it should have (API specification 2.2, 2.14).
public struct OpeningRequest: Sendable {
    /// Returns whether to compact a file, given its size in bytes and the number of bytes in use.
    public typealias CompactDecision = @Sendable (_ total: Int, _ used: Int) -> Bool

    public var configuration: Instance.Configuration
    /// Path of a database that is copied if the file does not exist. It must be encrypted with the
    /// same key as the file.
    public var seedPath: String?
    /// Decides whether to compact the file. Called if this process opens the file and does not have
    /// it open already. A file that other processes have open is not compacted.
    public var shouldCompact: CompactDecision?
    /// Whether to open the file for reading only. Nothing is changed then, so the schema must
    /// match.
    public var isReadOnly = false
    /// The classes that the file should have; nil for the existing classes.
    public var schema: WantedSchema?

    public init(_ configuration: Instance.Configuration) { self.configuration = configuration }
}

/// The classes of a program, and how older files are converted to them. Free to cross threads.
///
/// If a file is opened again with the same object, its classes are not compared again.
public final class WantedSchema: Sendable {
    public let classes: [ClassSpec]
    public let version: UInt64
    let path: Path

    /// Conversion of a file that has an older schema version or other classes.
    public enum Path: Sendable {
        /// Adds the classes and properties that the file lacks; then runs the closure; then removes
        /// the properties that are not in `WantedSchema.classes`. If the closure is nil, only adds
        /// and removes.
        case migrate((@Sendable (Migration) throws(RealmError) -> Void)?)
        /// Replaces the file by an empty database if its schema differs.
        case recreate
    }

    /// - Parameter version: schema version. It must be higher than the schema version of every file
    ///   whose classes differ from `classes`. `UInt64.max` is not a valid version.
    public init(
        _ classes: [ClassSpec], version: UInt64 = 0, path: Path = .migrate(nil)
    ) {
        self.classes = classes
        self.version = version
        self.path = path
    }
}
