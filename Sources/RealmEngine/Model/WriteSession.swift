/// A database opened for writing by its only participant.
///
/// The lock file is held exclusively from opening to closing, so no other process, ours or an
/// SDK's, can be harmed by what is written: it waits or is refused. One transaction at a time;
/// confined to one thread. Snapshots of `database` may be used by any thread meanwhile.
public final class WriteSession {
    public let database: Database
    let options: Options
    let device: any StorageDevice
    let slab: Slab
    private let lock: SoloLock
    private let mappedDescriptor: Int32
    private var failure: RealmError?
    private var transaction: WriteTransaction?

    public struct Options: Sendable {
        /// Sync data and header so that a commit that returned survives a power failure.
        public var isDurable = true
        /// Create the file when it does not exist; refuse when it does.
        public var creates = false
        var fanout = Fanout()

        public init() {}
    }

    /// Opens the file at `path` for writing.
    ///
    /// Throws `busy` when another participant has it open, `incompatible` for formats other than
    /// 24 and for synchronised files, and what reading a database throws.
    public convenience init(path: String, options: Options = Options()) throws(RealmError) {
        do throws(RealmError) {
            let lock = try SoloLock(databasePath: path)
            let file = try FileDevice(path: path, creating: options.creates)
            try self.init(file, device: file, lock: lock, options: options)
        } catch { throw error.inFile(path) }
    }

    /// As above, writing through `device`, which stores into `file`.
    init(
        _ file: FileDevice, device: any StorageDevice, lock: SoloLock, options: Options
    ) throws(RealmError) {
        try FilePreparation(file).run()
        database = try Database(writing: file)
        self.options = options
        self.device = device
        self.lock = lock
        mappedDescriptor = file.descriptor
        slab = Slab(database.file.mapping)
        try Self.checkWritable(database)
    }

    private static func checkWritable(_ database: Database) throws(RealmError) {
        let format = database.header.format
        guard format == 24 || format == 0 else {
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "file format \(format) is read but not written",
                hint: "open a copy once with a Realm SDK, which upgrades it to 24")
        }
        let history = database.newest.top?.historyType ?? 0
        guard history == 0 || history == 2 else {
            throw RealmError(
                .incompatible, code: "IncompatibleHistories", reason: "synced",
                "a file with a synchronised history is never written: it would diverge from its server",
                hint: "export it and import into a new file")
        }
    }

    /// Begins the write transaction. Throws `misuse` when one is open, or the first failure after a
    /// failed write or sync.
    public func begin() throws(RealmError) -> WriteTransaction {
        if let failure { throw failure }
        guard transaction == nil else {
            throw .misuse("a write transaction is open already", code: "WrongTransactionState")
        }
        let begun = try WriteTransaction(self, base: database.newest)
        transaction = begun
        return begun
    }

    func end(_ ended: WriteTransaction) {
        transaction = nil
        slab.detach()
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
        try write(flags ^ 1, at: 23)
        try sync()
    }

    private func write<T: BitwiseCopyable>(_ value: T, at offset: Int) throws(RealmError) {
        var value = value
        let result = withUnsafeBytes(of: &value) { bytes -> Result<Void, RealmError> in
            Result { () throws(RealmError) in try device.write(bytes, at: offset) }
        }
        try result.get()
    }

    private func sync() throws(RealmError) { if options.isDurable { try device.sync() } }

    /// Extends the mapping over what was written.
    func mapWritten(size: Int) throws(RealmError) {
        try database.file.mapping.extend(mappedDescriptor, to: size, path: database.path)
    }
}
