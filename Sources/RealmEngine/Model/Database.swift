import Synchronization

/// An open database file. Free to cross threads; every thread takes its own `Snapshot` from it.
///
/// Opened immutable: no lock file is opened or created, nothing is written (storage format 6.15).
/// The snapshot read is the one the header selects at the moment of opening; `hasChanged` tells
/// whether a commit landed since, after which what was read may have been overwritten.
///
/// Mutable state: the newest version and the counts of pinned versions, guarded by one mutex, held
/// only to copy or count.
public final class Database: Sendable {
    public let path: String
    /// The header as it was when the file was opened.
    public let header: FileHeader
    let file: MappedFile
    private let raw: RawHeader
    private let versions: Mutex<Versions>

    private struct Versions {
        var newest: VersionState
        var pins: [UInt64: Int] = [:]
    }

    /// Opens the file at `path` without joining a session.
    ///
    /// Throws `input` when the file cannot be read or is no Realm file, `corrupt`, and
    /// `incompatible` for formats other than 20 to 24.
    public convenience init(immutable path: String) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path))
        } catch { throw error.inFile(path) }
    }

    /// Reads all of standard input into an unlinked temporary file and opens that.
    public convenience init(standardInputInto directory: String) throws(RealmError) {
        do throws(RealmError) {
            let spooled = try File.spooled(from: 0, directory: directory)
            try self.init(MappedFile(spooled))
        } catch { throw error.inFile("-") }
    }

    /// For the one writer: the file is open for writing and prepared.
    convenience init(writing device: FileDevice) throws(RealmError) {
        try self.init(MappedFile(device))
    }

    init(_ file: MappedFile) throws(RealmError) {
        self.file = file
        path = file.path
        raw = try file.rawHeader()
        header = try FileHeader(base: file.mapping.base, size: file.size)
        try Self.checkFormat(header)
        let state = try VersionState.read(
            base: file.mapping.base, size: file.size, format: header.format, top: header.top)
        versions = Mutex(Versions(newest: state))
    }

    var newest: VersionState { versions.withLock { $0.newest } }

    /// Number of the newest version this handle knows.
    public var version: UInt64 { newest.version }
    /// Tables of the newest version this handle knows.
    public var schema: Schema { newest.schema }
    /// What the newest version's root says; nil for a database nothing was ever committed to.
    public var top: TopArrayFacts? { newest.top.map { TopArrayFacts($0) } }

    /// Publishes a version just committed.
    func publish(_ state: VersionState) { versions.withLock { $0.newest = state } }

    /// The newest version, which stays readable until `unpin`.
    func pinNewest() -> VersionState {
        versions.withLock { versions in
            versions.pins[versions.newest.version, default: 0] += 1
            return versions.newest
        }
    }

    func unpin(_ version: UInt64) {
        versions.withLock { versions in
            let left = versions.pins[version, default: 1] - 1
            versions.pins[version] = left == 0 ? nil : left
        }
    }

    /// The oldest version somebody in this process can still read.
    var oldestReachable: UInt64 {
        versions.withLock { min($0.newest.version, $0.pins.keys.min() ?? .max) }
    }

    /// True when a commit landed since the file was opened.
    public var hasChanged: Bool {
        guard let now = try? file.rawHeader() else { return true }
        return now != raw
    }

    /// A view of this version for the calling thread.
    public func snapshot() -> Snapshot { Snapshot(self, pinNewest()) }

    private static func checkFormat(_ header: FileHeader) throws(RealmError) {
        switch header.format {
        case 20...24: return
        case 0 where header.top.isNone: return
        case 2...11:
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "file format \(header.format) is older than this tool reads (20 to 24)",
                hint: "open a copy once with a Realm SDK of version 10 or later, which upgrades it")
        default:
            throw RealmError(
                .incompatible, code: "UnsupportedFileFormatVersion", reason: "unknown-format",
                "file format \(header.format) is unknown (20 to 24 are read)",
                hint: "a newer release of this tool may read it")
        }
    }
}

/// What the top array says, for reports.
public struct TopArrayFacts: Sendable {
    public let logicalSize: UInt64
    public let historyType: UInt64
    public let historySchema: UInt64

    init(_ top: TopArray) {
        logicalSize = top.logicalSize
        historyType = top.historyType
        historySchema = top.historySchema
    }
}
