/// Facts about a database file that were read without opening it as a database. Facts that could
/// not be read are nil.
public struct Inspection: Sendable {
    public let path: String
    /// Size of the database file in bytes.
    public internal(set) var bytes = 0
    public internal(set) var isEncrypted = false
    /// File format number of the selected slot; 0 for a new file.
    public internal(set) var format: Int?
    /// Index of the selected header slot.
    package internal(set) var slot: Int?
    /// Whether the file was written in one forward pass (storage format 1.3).
    package internal(set) var isStreaming: Bool?
    /// The newest version. Taken from the session if one is live, otherwise from the selected
    /// header slot.
    public internal(set) var version: UInt64?
    /// Offset in bytes of the newest version's root.
    var top: UInt64?
    /// End of the space that the newest version manages, in bytes.
    public internal(set) var logicalBytes: UInt64?
    /// The version in the header slot that is not selected; nil if the slot has no root.
    package internal(set) var previousVersion: UInt64?
    public internal(set) var content: Content?
    package internal(set) var history: History?
    public internal(set) var space: Space?
    /// Facts about the lock file; nil if there is no lock file.
    package internal(set) var lock: Lock?
    /// Readable versions, newest first.
    public internal(set) var versions: [LiveVersion] = []
    /// First contradiction between the bytes and the format, which explains why facts are missing.
    /// Nil if there is none.
    public internal(set) var damage: RealmError?

    /// Content of the newest version.
    public struct Content: Sendable {
        /// The object store's schema version; nil if the file stores none.
        public let schemaVersion: UInt64?
        public let classes: Int
        /// Number of live objects of all classes, including embedded ones.
        public let objects: Int
    }

    /// The history of the newest version (storage format 7).
    package struct History: Sendable {
        /// Type number: 0 for none, 2 for a history in the file, 3 and 4 for histories of
        /// synchronised files.
        package let type: UInt64
        let schema: UInt64
        /// Number of changesets; nil for history types that cannot be counted.
        package let entries: Int?
        /// Total size of the history's nodes in bytes.
        package let bytes: UInt64

        /// Name of the history type: "none", "in-realm", "sync-client", "sync-server", or the
        /// number of an unknown type.
        package var name: String {
            switch type {
            case 0: "none"
            case 1: "out-of-realm"
            case 2: "in-realm"
            case 3: "sync-client"
            case 4: "sync-server"
            default: "type-\(type)"
            }
        }
    }

    /// Use of the file's bytes. `live`, `free` and `pinned` sum up to the size of the file.
    public struct Space: Sendable {
        /// Number of bytes that the newest version uses.
        public let live: UInt64
        /// Number of bytes that the next commit can use.
        public let free: UInt64
        /// Number of bytes that the newest version does not use, but an older readable version
        /// does.
        public let pinned: UInt64
        /// Number of entries of the free list.
        public let chunks: Int
    }

    /// Facts read from the lock file.
    package struct Lock: Sendable {
        /// Whether some process has locked the file, which means that a session is live.
        package let isInUse: Bool
        /// Version of the lock file's layout; nil if the lock file cannot be read.
        package let layout: Int?
        /// Whether this engine supports the layout. If not, `isInUse` and `layout` are the only
        /// valid values.
        package let isKnown: Bool
        /// Number of participants that the lock file counts for the session, including crashed
        /// ones.
        let participants: Int
        /// Durability of commits: 0 full, 1 in memory only, 2 without syncs.
        let durability: Int
    }

    /// A readable version listed in the lock file.
    public struct LiveVersion: Sendable {
        public let version: UInt64
        /// Number of versions committed since this version.
        package let behind: UInt64
        /// Number of pins of ordinary readers. `frozen` is the number of pins of frozen views.
        /// `full` is the number of pins that also keep all later versions readable.
        package let live: Int
        package let frozen: Int
        package let full: Int
        /// Offset in bytes of the version's root.
        package let top: UInt64
        package let logicalBytes: UInt64
        /// Number of bytes that become usable after all pins of this version, and of no other, are
        /// released and a commit has been made. Nil for the newest version, which is always kept.
        public internal(set) var releases: UInt64?
        /// Size in bytes that the file would have if this version had been released immediately.
        /// Nil for the newest version.
        package internal(set) var bytesWithout: UInt64?

        public var pins: Int { live + frozen + full }
    }

    init(path: String) { self.path = path }

    /// Whether at most a twentieth of the file is unused, or the file is in the form that
    /// compaction writes. Nil if unknown.
    package var isCompact: Bool? {
        guard let space, let isStreaming else { return nil }
        return isStreaming || (space.free + space.pinned) * 20 <= UInt64(bytes)
    }

    /// Number of the oldest readable version.
    public var oldestVersion: UInt64? { versions.last?.version ?? version }
}
