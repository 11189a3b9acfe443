/// The content of a lock file. It is read without joining the session: nothing is locked, mapped or
/// written. Since the version-list mutex is not held, a commit may change some of the numbers while
/// others are being read.
package struct LockFileFacts: Sendable {
    /// Whether a process holds the lock file. If none does, the content is left over from an
    /// earlier session.
    package let isInUse: Bool
    package let bytes: Int
    package let layout: Int
    /// The fields of the lock file; nil if its layout number is not 14.
    package let session: Session?

    package struct Session: Sendable {
        package let format: Int
        package let historyType: Int
        package let historySchema: Int
        /// 0: commits are synced to disk; 1: the database is in memory only; 2: commits are not
        /// synced.
        package let durability: Int
        /// Number of participants, including those that died during the session.
        package let participants: Int
        package let newestVersion: UInt64
        /// The readable versions, oldest first.
        package let versions: [Version]
    }

    /// A version and its numbers of pins by kind.
    package struct Version: Sendable, Equatable {
        package let version: UInt64
        package let top: Ref
        package let logicalSize: UInt64
        package let live: Int
        package let frozen: Int
        package let full: Int
    }

    private static let largestSize = 1 << 26

    /// Reads the lock file of the database at `path`; returns nil if there is none or it may not be
    /// read.
    package init?(databasePath path: String) {
        let name = DatabasePath(path).lock
        guard let bytes = CompanionFile.beginning(of: name, limit: Self.largestSize) else {
            return nil
        }
        isInUse = MappedLockFile.isLocked(name)
        self.bytes = bytes.count
        (layout, session) = bytes.withUnsafeBytes { bytes in
            (Self.layout(bytes), Self.session(bytes))
        }
    }

    private static func layout(_ bytes: UnsafeRawBufferPointer) -> Int {
        bytes.count >= 8 ? Int(bytes.load(fromByteOffset: 6, as: UInt16.self)) : 0
    }

    private static func session(_ bytes: UnsafeRawBufferPointer) -> Session? {
        guard bytes.count >= LockFile.initialSize,
            let memory = try? MappedLockFile(copying: Array(bytes))
        else { return nil }
        let file = LockFile(memory: memory)
        guard file.isInitialized, file.foreignLayout == nil else { return nil }
        let room = (bytes.count - LockFile.headerSize) / LockFile.entrySize
        let newest = Int(file.newest)
        var versions: [Version] = []
        for i in 0..<min(file.entryCount, room) {
            let entry = file.entry(i)
            // Leaves out an entry that a writer is adding and has not yet made the newest.
            guard entry.version != 0, i == newest || entry.isPinned else { continue }
            versions.append(
                Version(
                    version: entry.version, top: Ref(entry.top), logicalSize: entry.fileSize,
                    live: Int(entry.live), frozen: Int(entry.frozen), full: Int(entry.full)))
        }
        return Session(
            format: Int(file.format), historyType: Int(file.historyType),
            historySchema: Int(file.historySchema), durability: Int(file.durability),
            participants: Int(file.participants), newestVersion: file.newestVersion,
            versions: versions.ordered { $0.version < $1.version })
    }
}
