/// A database opened for writing as a participant of its session.
///
/// Any number of processes and handles may do so; write transactions take turns. One transaction
/// of a session at a time, begun and ended on one thread. Snapshots of `database` may be used by
/// any thread meanwhile.
public final class WriteSession {
    public let database: Database
    let options: Options
    let device: any StorageDevice
    /// What counts the writes; nil where there are none.
    private let file: FileDevice?
    let slab: Slab
    let isRehearsal: Bool
    private var failure: RealmError?
    /// Weak, so that a transaction merely dropped is rolled back and keeps nothing open.
    private weak var transaction: WriteTransaction?

    public struct Options: Sendable {
        /// Sync data and header so that a commit that returned survives a power failure.
        public var isDurable = true
        /// Create the file when it does not exist; refuse when it does.
        public var creates = false
        var fanout = Fanout()

        public init() {}
    }

    /// How long to wait for other writers.
    public enum Patience: Sendable {
        case none
        case milliseconds(Int)
        case forever
    }

    /// Opens the file at `path` for writing.
    ///
    /// Throws `incompatible` for formats other than 24, for synchronised files and for sessions
    /// with other settings, and what reading a database throws.
    public convenience init(path: String, options: Options = Options()) throws(RealmError) {
        try self.init(path: path, options: options) { $0 }
    }

    /// As above, writing through what `wrap` makes of the file.
    init(
        path: String, options: Options, wrap: (FileDevice) -> any StorageDevice
    ) throws(RealmError) {
        do throws(RealmError) {
            var opened: FileDevice?
            if !options.creates {
                // Nothing is created, not even a lock file, beside a file that is not there.
                opened = try FileDevice(path: path)
                try Self.checkWritable(path)
            }
            let session = try Session(joining: path, isDurable: options.isDurable) {
                (isInitiator) throws(RealmError) in
                let file: FileDevice
                if let opened {
                    file = opened
                } else {
                    file = try FileDevice(path: path, creating: true)
                }
                opened = file
                if isInitiator { try FilePreparation(file).run() }
                return try Self.attachment(file)
            }
            database = try Database(MappedFile(opened!), session: session)
            file = opened
            device = wrap(opened!)
        } catch { throw error.inFile(path) }
        self.options = options
        slab = Slab(database.file.mapping)
        isRehearsal = false
    }

    /// Rehearses: transactions of the session see the database and their own changes, but take no
    /// lock, write nothing and cannot commit.
    public init(rehearsing path: String) throws(RealmError) {
        do throws(RealmError) {
            try Self.checkWritable(path)
            if let live = try Database(joiningLive: path) {
                database = live
            } else {
                database = try Database(immutable: path)
            }
        } catch { throw error.inFile(path) }
        options = Options()
        device = NoDevice()
        file = nil
        slab = Slab(database.file.mapping)
        isRehearsal = true
    }

    private static func attachment(_ file: FileDevice) throws(RealmError) -> Session.Attachment {
        let mapped = try MappedFile(file)
        let header = try FileHeader(base: mapped.mapping.base, size: file.size)
        let state = try VersionState.read(
            base: mapped.mapping.base, size: file.size, format: header.format, top: header.top)
        return Session.Attachment(
            version: state.version, top: header.top, logicalSize: state.limit,
            historyType: state.top?.historyType ?? 0)
    }

    private static func checkWritable(_ path: String) throws(RealmError) {
        let mapped: MappedFile
        do throws(RealmError) { mapped = try MappedFile(path: path) } catch {
            // A file of no bytes becomes a database when the session begins.
            if error.reason == "empty" { return }
            throw error
        }
        let header = try FileHeader(base: mapped.mapping.base, size: mapped.size)
        let format = header.format
        guard format == 24 || format == 0 else {
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "file format \(format) is read but not written",
                hint: "open a copy once with a Realm SDK, which upgrades it to 24")
        }
        if header.top.isNone { return }
        let memory = SpaceMemory(base: mapped.mapping.base, limit: UInt64(mapped.size))
        let top = try TopArray(memory.lookup, header.top, fileSize: mapped.size)
        guard top.historyType == 0 || top.historyType == 2 else { throw Session.synced }
    }

    private var session: Session { database.session! }

    /// What went to the file through this session, for reports.
    public struct Traffic: Sendable {
        public internal(set) var syncs = 0
        /// Time spent waiting for the syncs.
        public internal(set) var syncNanoseconds = 0
        public internal(set) var bytes = 0

        public init() {}
    }

    /// What went to the file so far.
    public var traffic: Traffic {
        var traffic = Traffic()
        guard let file else { return traffic }
        traffic.syncs = file.syncCount
        traffic.syncNanoseconds = file.syncNanoseconds
        traffic.bytes = file.bytesWritten
        return traffic
    }

    /// Begins a write transaction when it is this session's turn.
    ///
    /// Throws `busy` when `patience` ends first, `misuse` when a transaction of this session is
    /// open, and the first failure after a failed write or sync.
    public func begin(_ patience: Patience = .forever) throws(RealmError) -> WriteTransaction {
        if let failure { throw failure }
        guard transaction == nil else {
            throw .misuse("a write transaction is open already", code: "WrongTransactionState")
        }
        if isRehearsal {
            let begun = try WriteTransaction(self, base: database.newest)
            transaction = begun
            return begun
        }
        guard let outcome = try takeTurn(patience) else {
            let holders = Openers.processes(of: database.path + ".lock")
            let names = holders.isEmpty ? "another program" : holders.joined(separator: ", ")
            throw RealmError(
                .busy, code: "FileBusy", reason: "writer",
                "\(names) is writing to the database", file: database.path,
                hint: "wait for it: --wait")
        }
        do throws(RealmError) {
            if outcome == .ownerDied { try repairHeader() }
            try database.refresh()
            let begun = try WriteTransaction(self, base: database.newest)
            transaction = begun
            return begun
        } catch {
            session.endWrite()
            throw error
        }
    }

    private func takeTurn(_ patience: Patience) throws(RealmError) -> SharedMutex.Outcome? {
        switch patience {
        case .forever: return try session.beginWrite()
        case .none: return try session.tryBeginWrite()
        case .milliseconds(let time):
            return try session.beginWrite(until: .after(milliseconds: time))
        }
    }

    /// A writer died after it flipped the header and before it published: the others went on from
    /// the older version, so the header goes back to it (storage format 5.11).
    private func repairHeader() throws(RealmError) {
        let pin = try session.pinNewest()
        defer { session.release(pin) }
        let header = try database.file.rawHeader()
        let active = header.top(header.selected)
        guard active != pin.top.raw, header.top(header.selected ^ 1) == pin.top.raw else { return }
        let size = device.size
        guard active & 7 == 0, active < UInt64(size) else { return }
        try database.file.extend(to: size)
        let newer = try? VersionState.read(
            base: database.file.mapping.base, size: size, format: 24, top: Ref(active))
        guard let newer, newer.version > pin.version else { return }
        let flags = UInt8(truncatingIfNeeded: header.info >> 56)
        try write(flags ^ 1, at: 23)
        try sync()
    }

    func end() {
        transaction = nil
        slab.detach()
        if !isRehearsal { session.endWrite() }
    }

    /// Which version the header selects is unknown: nobody may go on from either of the two before
    /// a new session has begun with the one it finds.
    func poisonForAll(_ error: RealmError) {
        poison(error)
        session.file.isCritical = true
    }

    /// A write or sync failed: what reached the file is unknown, so nothing more is written.
    func poison(_ error: RealmError) { if failure == nil { failure = error } }

    /// Makes the header select the root at `top` (storage format 5.8).
    func flipHeader(top: Ref) throws(RealmError) {
        let header = try database.file.rawHeader()
        let slot = header.selected ^ 1
        if header.format(slot) != 24 { try write(UInt8(24), at: 20 + slot) }
        try write(top.raw, at: 8 * slot)
        try sync()
        let flags = UInt8(truncatingIfNeeded: header.info >> 56)
        do throws(RealmError) {
            try write(flags ^ 1, at: 23)
            try sync()
        } catch {
            poisonForAll(error)
            throw error
        }
    }

    private func write<T: BitwiseCopyable>(_ value: T, at offset: Int) throws(RealmError) {
        var value = value
        let result = withUnsafeBytes(of: &value) { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try device.write(bytes, at: offset) }
        }
        try result.get()
    }

    func sync() throws(RealmError) { if options.isDurable { try device.sync() } }
}
