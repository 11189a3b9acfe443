import Foundation
import RealmEngine

extension Realm {
    /// Location of a realm and the options to open it (API specification 2.2).
    ///
    /// ```swift
    /// var configuration = Realm.Configuration(schemaVersion: 3, objectTypes: [Dog.self])
    /// configuration.fileURL = URL(fileURLWithPath: "/var/lib/kennel/kennel.realm")
    /// let realm = try Realm(configuration: configuration)
    /// ```
    @frozen public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        private static let standard = LockedValue(Configuration())

        /// Configuration that `Realm()` uses. There is one for the process. May be read and set on
        /// any thread.
        public static var defaultConfiguration: Configuration {
            get { standard.withLock { $0 } }
            set { standard.withLock { $0 = newValue } }
        }

        /// `default.realm` in the data directory of the program: `$XDG_DATA_HOME` or
        /// `~/.local/share`, followed by the name of the executable. Reading this property creates
        /// the directory. May be read on any thread.
        public static var defaultFileURL: URL {
            let environment = ProcessInfo.processInfo.environment
            let owningRealm = environment["XDG_DATA_HOME"].map { URL(fileURLWithPath: $0) }
            let data =
                owningRealm
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
                    ".local/share")
            let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "realm")
                .lastPathComponent
            let folder = data.appendingPathComponent(program)
            try? FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            return folder.appendingPathComponent("default.realm")
        }

        /// Creates a configuration; each parameter sets the property of the same name.
        ///
        /// Traps if `encryptionKey` is not 64 bytes long. With an `inMemoryIdentifier`, `fileURL`
        /// is ignored.
        public init(
            fileURL: URL? = Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil, readOnly: Bool = false, schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil, deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
        ) {
            file = inMemoryIdentifier == nil ? fileURL : nil
            memory = inMemoryIdentifier
            key = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.objectTypes = objectTypes
            self.seedFilePath = seedFilePath
            Self.check(key: encryptionKey)
        }

        private var file: URL?
        private var memory: String?
        private var key: Data?

        private static func check(key: Data?) {
            if let count = key?.count, count != 64 {
                throwRealmException("Encryption key must be exactly 64 bytes long, not \(count)")
            }
        }

        /// URL of the file; nil for a realm in memory. Setting a URL sets `inMemoryIdentifier` to
        /// nil.
        public var fileURL: URL? {
            get { file }
            set {
                file = newValue
                if newValue != nil { memory = nil }
            }
        }

        /// Name of a realm in memory; nil for a realm in a file. All realms of the process that are
        /// opened with the same name share their data. Setting a name sets `fileURL` to nil.
        /// Setting an empty name traps.
        ///
        /// The data is lost when the last instance of the realm is released. No thread or queue
        /// retains an instance, so keep one in a variable outside of the function that opens it. In
        /// a unit test:
        ///
        /// ```swift
        /// private var realm: Realm!
        /// override func setUp() {
        ///     realm = try! Realm(configuration: .init(inMemoryIdentifier: name))
        /// }
        /// ```
        public var inMemoryIdentifier: String? {
            get { memory }
            set {
                if newValue == "" {
                    throwRealmException("The in-memory identifier must not be empty")
                }
                memory = newValue
                if newValue != nil { file = nil }
            }
        }

        /// Encryption key of 64 bytes; nil for a file that is not encrypted. Setting a key of
        /// another length traps.
        public var encryptionKey: Data? {
            get { key }
            set {
                Self.check(key: newValue)
                key = newValue
            }
        }

        /// Whether the file is opened for reading only. Nothing is written, and the realm stays at
        /// the version that it opened.
        public var readOnly: Bool
        /// Version of the schema; 0 unless set. Opening a file with a lower version calls
        /// `migrationBlock`. Opening a file with a higher version throws an error.
        public var schemaVersion: UInt64
        /// Block that is called to migrate a file with a lower schema version. If it is nil, the
        /// new schema is applied, and properties that no longer exist are removed with their
        /// values.
        @preconcurrency public var migrationBlock: MigrationBlock?
        /// Whether a file whose schema differs is deleted and created again instead of being
        /// migrated. Opening traps if `readOnly` is also set.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Block that decides whether to compact the file. Called when the process opens the file
        /// for the first time, or again after it has closed it.
        ///
        /// The arguments are the size of the file and the number of bytes in use. The file is not
        /// compacted while another process has it open.
        @preconcurrency public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
        /// Classes of the realm; nil for all classes of the program. If a class is included, the
        /// classes that it links to must be included, too; otherwise opening traps.
        public var objectTypes: [ObjectBase.Type]?
        /// Maximum number of live versions; nil for no limit. A version is live while a realm or a
        /// frozen value refers to it. Beginning a write transaction traps if more versions are
        /// live.
        public var maximumNumberOfActiveVersions: UInt?
        /// URL of a file that is copied to `fileURL` before opening, if no file exists there yet.
        public var seedFilePath: URL?

        /// A rule for text comparisons that ignore case: `[c]` and `.caseInsensitive` in a
        /// condition.
        public enum TextComparison: Sendable {
            /// Ignores the case of ASCII letters and of the Latin-1 letters U+00C0 to U+00FE, as
            /// the SDKs do, so that a server and an app find the same objects.
            case sdk
            /// Ignores the case of all letters, by Unicode's simple case folding.
            case unicode
        }

        /// The rule for conditions that ignore case. The file does not depend on it. All instances
        /// of a realm on one thread must have the same rule; opening with another rule traps. An
        /// addition to the SDK.
        public var textComparison = TextComparison.sdk

        /// The location, encryption and schema version as text, without the encryption key itself.
        public var description: String {
            let place =
                file.map { "fileURL = \($0.path)" } ?? "inMemoryIdentifier = \(memory ?? "(null)")"
            return
                "Realm.Configuration {\n\t\(place);\n\tencryptionKey = \(key == nil ? "(null)" : "<set>");\n"
                + "\treadOnly = \(readOnly ? "1" : "0");\n\tschemaVersion = \(schemaVersion);\n}"
        }

        /// Whether both have the same location, encryption key, `readOnly` and `schemaVersion`.
        /// Other properties are not compared.
        public static func == (a: Configuration, b: Configuration) -> Bool {
            a.key == b.key && a.file == b.file && a.memory == b.memory && a.readOnly == b.readOnly
                && a.schemaVersion == b.schemaVersion
        }
    }
}
