import Glibc
import RealmEngine
import Synchronization
import ToolKit

/// A compacted database in a temporary file beside its destination. The file is renamed when it is
/// complete.
final class CompactOutput {
    private let destination: OutputFile.Destination
    private let temporary: TemporaryFile
    private let request: CompactRequest
    private var isPublished = false
    private(set) var result: Compactor.Result?

    /// Creates the temporary file with the permissions of the database.
    ///
    /// - Parameters:
    ///     - path: the final name.
    ///     - force: whether to replace an existing file.
    init(_ request: CompactRequest, path: String, force: Bool) throws(RealmError) {
        let opened = try OutputFile.Destination.open(
            path, force: force, permissions: FilePermissions(of: request.path))
        guard let temporary = opened.temporary else {
            close(opened.descriptor)
            throw .misuse(
                "a database is written to a regular file only", code: "InvalidArgument")
        }
        destination = opened.destination
        self.temporary = temporary
        self.request = request
    }

    deinit {
        if !isPublished { temporary.discard() }
        close(temporary.descriptor)
    }

    /// Path of the created or replaced file, with symbolic links resolved.
    var target: String { destination.target }
    var descriptor: Int32 { temporary.descriptor }

    /// Throws `output` if the device has no room for `bytes`.
    static func checkRoom(for bytes: UInt64, beside path: String) throws(RealmError) {
        guard let free = freeSpace(beside: path), free < bytes else { return }
        throw RealmError(
            .output, code: "OutOfDiskSpace", reason: "disk-full",
            "the result takes up to \(Quantity.bytes(Int(clamping: bytes))), the device has "
                + "\(Quantity.bytes(Int(clamping: free))) left", file: path,
            hint: "-o FILE writes the result to another device")
    }

    /// Number of bytes available on the device of `path`; nil if unknown.
    static func freeSpace(beside path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(directory(of: path), &status) == 0 else { return nil }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }

    /// Writes the content of `database`, and verifies it if requested.
    func write(_ database: Database, _ options: Compactor.Options) throws(RealmError) {
        let snapshot = database.snapshot()
        var options = options
        options.key = try request.outputKey(database.encryptionKey)
        var progress = ProgressReporter(
            request.command, file: request.path, total: Int(clamping: database.liveBytes),
            unit: .bytes)
        defer { progress.finish() }
        let result = try Compactor.write(
            snapshot, to: temporary.descriptor, path: destination.path, options: options
        ) { progress.update(Int(clamping: $0)) }
        self.result = result
        if result.isVerified || !options.verifies { return }
        // With `--enumerate` the copy has other nodes, so its content is compared with the
        // original.
        let copy = try Database(immutable: temporary.place, key: options.key)
        try DigestComparison(request.command.workers).run(database, copy, path: request.path)
    }

    /// Gives the file its final name and syncs the directory.
    func publish() throws(RealmError) {
        try destination.publish(temporary)
        isPublished = true
    }
}

/// Compares the objects of two databases class by class.
struct DigestComparison {
    private let workers: Int

    init(_ workers: Int) { self.workers = workers }

    /// Throws `internal` if the objects differ, and `corrupt` if one of the databases cannot be
    /// read.
    func run(_ original: Database, _ copy: Database, path: String) throws(RealmError) {
        let count = original.schema.tables.count
        guard copy.schema.tables.count == count, copy.version == original.version else {
            throw Self.difference("its tables", path)
        }
        try compare(
            original, copy, Array(zip(original.schema.tables, copy.schema.tables)), path)
    }

    /// Compares a converted copy with the original: the tables that are in both databases. Throws
    /// `internal` if they differ, and `corrupt` if one of the databases cannot be read.
    ///
    /// - Parameter except: classes that are known to have lost data.
    func run(
        _ original: Database, _ copy: Database, except: Set<String>, path: String
    ) throws(RealmError) {
        var pairs: [(TableInfo, TableInfo)] = []
        // SDKs store tables in addition to classes. Among them, only the schema version is
        // converted.
        guard copy.schema.version == original.schema.version else {
            throw Self.difference("its schema version", path)
        }
        for info in original.schema.tables
        where info.name != "metadata" && !except.contains(info.className) {
            let other = copy.schema.tables.first { Array($0.name.utf8) == Array(info.name.utf8) }
            if let other { pairs.append((info, other)) }
        }
        // The copy may have one table that the original lacks: the schema version, which every new
        // file has.
        for made in copy.schema.tables where made.isClass && !except.contains(made.className) {
            guard pairs.contains(where: { $0.1 === made }) else {
                throw Self.difference("its tables", path)
            }
        }
        try compare(original, copy, pairs, path)
    }

    private func compare(
        _ original: Database, _ copy: Database, _ pairs: [(TableInfo, TableInfo)], _ path: String
    ) throws(RealmError) {
        let digests = try digests(
            pairs.flatMap { [(original, $0.0), (copy, $0.1)] })
        for (i, pair) in pairs.enumerated() where digests[2 * i] != digests[2 * i + 1] {
            throw Self.difference(pair.0.className, path)
        }
    }

    /// Returns the digest of each table.
    private func digests(
        _ tables: [(database: Database, info: TableInfo)]
    ) throws(RealmError) -> [UInt64] {
        let next = Atomic<Int>(0)
        let found = Mutex<[Result<UInt64, RealmError>?]>(
            Array(repeating: nil, count: tables.count))
        Threads.run(min(workers, tables.count)) { _ in
            while true {
                let item = next.add(1, ordering: .relaxed).oldValue
                if item >= tables.count { return }
                let result = Result { () throws(RealmError) in
                    let snapshot = tables[item].database.snapshot()
                    return try ContentDigest(snapshot).digest(tables[item].info)
                }
                found.withLock { $0[item] = result }
            }
        }
        var digests: [UInt64] = []
        for result in found.withLock({ $0 }) { digests.append(try result?.get() ?? 0) }
        return digests
    }

    static func difference(_ what: String, _ path: String) -> RealmError {
        RealmError(
            .internal, code: "RuntimeError", reason: "verification",
            "the result is not the same as the original (\(what)); nothing was replaced",
            file: path, hint: "please report this with the file")
    }
}
