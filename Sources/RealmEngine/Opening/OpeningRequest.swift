/// A database as a program wants it: which file, what has to be done before anybody sees it, and the
/// classes it is to have (API specification 2.2, 2.14).
public struct OpeningRequest: Sendable {
    /// Bytes of the file and of what is in use of it: whether to compact it.
    public typealias CompactDecision = @Sendable (_ total: Int, _ used: Int) -> Bool

    public var configuration: Instance.Configuration
    /// Of a database that becomes the file's content where there is no file yet; under the same key.
    public var seedPath: String?
    /// Asked when the process opens the file and has not got it open already. Nothing happens while
    /// others have the file open.
    public var shouldCompact: CompactDecision?
    /// Reads the file as it is, takes part in nothing and never moves on. Its schema has to do.
    public var isReadOnly = false
    /// Nil for the classes that are there.
    public var schema: WantedSchema?

    public init(_ configuration: Instance.Configuration) { self.configuration = configuration }
}

/// The classes a program was written for, and how older files get there. Free to cross threads.
///
/// Whoever opens a file again with the same object is not held up by comparing classes.
public final class WantedSchema: Sendable {
    public let classes: [ClassSpec]
    public let version: UInt64
    let path: Path

    /// What happens to a file of an older version, or of other classes.
    public enum Path: Sendable {
        /// The migration runs with the new classes in place; nil loses what is no longer there.
        case migrate((@Sendable (Migration) throws(RealmError) -> Void)?)
        /// The file begins anew, without any objects.
        case beginAnew
    }

    /// - Parameter version: higher than that of every file that has other classes; all ones is no
    ///   version.
    public init(
        _ classes: [ClassSpec], version: UInt64 = 0, path: Path = .migrate(nil)
    ) {
        self.classes = classes
        self.version = version
        self.path = path
    }
}
