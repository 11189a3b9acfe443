import Foundation
import RealmEngine

extension Realm {
    /// Which file a realm is in, and how it is opened (API specification 2.2).
    @frozen public struct Configuration: Sendable, Equatable, CustomStringConvertible {
        private static let standard = LockedValue(Configuration())

        /// What `Realm()` opens. Of the process; free to cross threads.
        public static var defaultConfiguration: Configuration {
            get { standard.withLock { $0 } }
            set { standard.withLock { $0 = newValue } }
        }

        /// `default.realm` in the data directory of the program: `$XDG_DATA_HOME` or `~/.local/share`, and
        /// the name of the executable.
        public static var defaultFileURL: URL {
            let environment = ProcessInfo.processInfo.environment
            let home = environment["XDG_DATA_HOME"].map { URL(fileURLWithPath: $0) }
            let data =
                home
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
                    ".local/share")
            let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "realm")
                .lastPathComponent
            let folder = data.appendingPathComponent(program)
            try? FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            return folder.appendingPathComponent("default.realm")
        }

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

        /// Nil for a realm in memory.
        public var fileURL: URL? {
            get { file }
            set {
                file = newValue
                if newValue != nil { memory = nil }
            }
        }

        /// The name of a realm in memory, which all opens of this name in the process share; nil for a
        /// realm in a file.
        ///
        /// The data is gone when the last instance of the realm goes. No thread or queue keeps an instance
        /// alive: keep one in a variable, outside of the function that opens it. In a unit test:
        ///
        ///     private var realm: Realm!
        ///     override func setUp() { realm = try! Realm(configuration: .init(inMemoryIdentifier: name)) }
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

        /// 64 bytes; nil for a file that is not encrypted.
        public var encryptionKey: Data? {
            get { key }
            set {
                Self.check(key: newValue)
                key = newValue
            }
        }

        /// Reads the file as it is; nothing is written, and the realm never moves on.
        public var readOnly: Bool
        public var schemaVersion: UInt64
        /// Is called for a file of an older schema version.
        @preconcurrency public var migrationBlock: MigrationBlock?
        /// A file of another schema is replaced by an empty one.
        public var deleteRealmIfMigrationNeeded: Bool
        /// Is told the bytes of the file and those in use when the process opens it first.
        @preconcurrency public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
        /// Nil for all classes of the program.
        public var objectTypes: [ObjectBase.Type]?
        /// More readable versions than this make the next write transaction a mistake.
        public var maximumNumberOfActiveVersions: UInt?
        /// Copied where there is no file yet.
        public var seedFilePath: URL?

        public var description: String {
            let place =
                file.map { "fileURL = \($0.path)" } ?? "inMemoryIdentifier = \(memory ?? "(null)")"
            return
                "Realm.Configuration {\n\t\(place);\n\tencryptionKey = \(key == nil ? "(null)" : "<set>");\n"
                + "\treadOnly = \(readOnly ? "1" : "0");\n\tschemaVersion = \(schemaVersion);\n}"
        }

        public static func == (a: Configuration, b: Configuration) -> Bool {
            a.key == b.key && a.file == b.file && a.memory == b.memory && a.readOnly == b.readOnly
                && a.schemaVersion == b.schemaVersion
        }
    }
}
