/// What can be known about a database file without opening it as a database. A fact that could not be
/// found out is nil; nothing here is guessed.
public struct Inspection: Sendable {
    public let path: String
    /// Size of the file.
    public internal(set) var bytes = 0
    public internal(set) var isEncrypted = false
    /// File format number of the selected slot; 0 for a new file.
    public internal(set) var format: Int?
    /// Which header slot is selected.
    package internal(set) var slot: Int?
    /// Written in one forward pass (storage format 1.3).
    package internal(set) var isStreaming: Bool?
    /// The newest version: the session's while one is live, else the one the header selects.
    public internal(set) var version: UInt64?
    /// Offset of its root.
    var top: UInt64?
    /// End of the space the version manages, in bytes.
    public internal(set) var logicalBytes: UInt64?
    /// The version in the header slot that is not selected, if there is a root.
    package internal(set) var previousVersion: UInt64?
    public internal(set) var content: Content?
    package internal(set) var history: History?
    public internal(set) var space: Space?
    /// Nil when there is no lock file.
    package internal(set) var lock: Lock?
    /// The versions that can be read, newest first.
    public internal(set) var versions: [LiveVersion] = []
    /// Why some of the facts are missing: the first contradiction between the bytes and the format.
    public internal(set) var damage: RealmError?

    /// What the newest version holds.
    public struct Content: Sendable {
        /// The object store's schema version; nil when the file carries none.
        public let schemaVersion: UInt64?
        public let classes: Int
        /// Live objects of all classes, embedded ones included.
        public let objects: Int
    }

    /// The change log of the newest version (storage format 7).
    package struct History: Sendable {
        /// 0 none, 2 in the file, 3 and 4 of synchronised files.
        package let type: UInt64
        let schema: UInt64
        /// Changesets; nil where the type is not known well enough to count them.
        package let entries: Int?
        /// Bytes of the nodes that hold them.
        package let bytes: UInt64

        /// "none", "in-realm", "sync-client", "sync-server", or the number of an unknown type.
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

    /// Where the file's bytes are. The three sum up to the size of the file.
    public struct Space: Sendable {
        /// Used by the newest version.
        public let live: UInt64
        /// The next commit can use it.
        public let free: UInt64
        /// Not used by the newest version, but by an older one that somebody can still read.
        public let pinned: UInt64
        /// Entries of the free list.
        public let chunks: Int
    }

    /// The lock file, as far as it could be read.
    package struct Lock: Sendable {
        /// Some process has a lock on it: a session is live.
        package let isInUse: Bool
        /// Nil when the file cannot be read.
        package let layout: Int?
        /// The layout is the one this engine knows; without it the rest says nothing.
        package let isKnown: Bool
        /// Participants as the session counts them; crashed ones included.
        let participants: Int
        /// 0 full, 1 in memory only, 2 without syncs.
        let durability: Int
    }

    /// A version that can be read, as the lock file lists it.
    public struct LiveVersion: Sendable {
        public let version: UInt64
        /// Versions committed since.
        package let behind: UInt64
        /// Pins of ordinary readers, of frozen views, and of those that keep all that follow.
        package let live: Int
        package let frozen: Int
        package let full: Int
        /// Offset of the root.
        package let top: UInt64
        package let logicalBytes: UInt64
        /// Bytes of the file that become usable when all pins of this version, and of no other, are
        /// released and a commit has noticed; nil for the newest version, which stays in any case.
        public internal(set) var releases: UInt64?
        /// Size the file would have, had this version been released at once; nil as above.
        package internal(set) var bytesWithout: UInt64?

        public var pins: Int { live + frozen + full }
    }

    init(path: String) { self.path = path }

    /// At most a twentieth of the file is unused, or the file is as compaction leaves it; nil when
    /// that is unknown.
    package var isCompact: Bool? {
        guard let space, let isStreaming else { return nil }
        return isStreaming || (space.free + space.pinned) * 20 <= UInt64(bytes)
    }

    /// The oldest version that can be read.
    public var oldestVersion: UInt64? { versions.last?.version ?? version }
}
