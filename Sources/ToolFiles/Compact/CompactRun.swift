import Glibc
import RealmEngine
import ToolKit

/// `-o OUT FILE`: writes a compacted copy. Other processes may use FILE meanwhile.
struct CopyRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let target = request.command.outputPath!
        try checkTarget(target)
        let account = CompactAccount(request)
        do throws(RealmError) {
            return try CompactSource(request: request).read { (database) throws(RealmError) in
                try write(database, target, account)
            }
        } catch {
            throw error.kind == .output ? error : error.inDatabase(request.path)
        }
    }

    /// Throws an error if the output is FILE itself, by any name.
    private func checkTarget(_ target: String) throws(RealmError) {
        var (a, b) = (stat(), stat())
        guard stat(target, &a) == 0, stat(request.path, &b) == 0, a.st_ino == b.st_ino,
            a.st_dev == b.st_dev
        else { return }
        throw RealmError(
            .misuse, code: "InvalidArgument", reason: "output-is-input",
            "-o names the database itself", file: target, hint: "leave -o out to compact in place")
    }

    private func write(
        _ database: Database, _ target: String, _ account: CompactAccount
    ) throws(RealmError) -> ExitCode {
        if let conversion = request.conversion(of: database) {
            let output = try CompactOutput(request, path: target, force: request.mayReplace)
            return try ConversionRun(request, conversion, target).write(database, output, account)
        }
        if let type = database.top?.historyType, type > 2 { throw CompactAccount.synced }
        if !account.isWorthIt(database) { return try account.reportNotNeeded(database) }
        try CompactOutput.checkRoom(for: database.compactedLimit, beside: target)
        let output = try CompactOutput(request, path: target, force: request.mayReplace)
        try output.write(database, request.options)
        if database.hasChanged { throw DatabaseChange.error }
        try output.publish()
        return try account.report(output.result!, database, output: target)
    }
}

/// `FILE`: compacts the file in place.
struct InPlaceRun {
    private let request: CompactRequest

    init(_ request: CompactRequest) { self.request = request }

    func run() throws(RealmError) -> ExitCode {
        let path = DatabasePath(request.path).path
        try checkKey()
        let account = CompactAccount(request)
        var retry = OpenersWait(request.command.wait)
        while true {
            do throws(RealmError) {
                var code = ExitCode.ok
                try ExclusiveAccess.run(
                    path: request.path, key: request.command.readKey(),
                    request.command.wait.lockTimeout, allowsOtherNames: request.mayReplace,
                    converts: request.mayReplace && request.convertsFormat
                ) { (database) throws(RealmError) in
                    guard account.isWorthIt(database) else {
                        code = try account.reportNotNeeded(database)
                        return database.encryptionKey
                    }
                    code = try compact(database, path, account)
                    return try request.outputKey(database.encryptionKey)
                }
                return code
            } catch {
                if error.reason == "in-use", retry.mayRepeat() { continue }
                throw error.kind == .output ? error : error.inFile(request.path)
            }
        }
    }

    private func checkKey() throws(RealmError) {
        // Like every tool, opening reports a missing key, and a key for an unencrypted file.
        _ = try DatabaseReading(request.command).open()
    }

    private func compact(
        _ database: Database, _ path: String, _ account: CompactAccount
    ) throws(RealmError) -> ExitCode {
        let changesFormat = request.changesFormat(of: database)
        if changesFormat, !request.mayReplace { throw Self.otherFormat }
        let attributes = try FileAttributes(path: path)
        try CompactOutput.checkRoom(for: database.compactedLimit, beside: path)
        let conversion = request.conversion(of: database)
        // After a conversion, the original always remains as a backup.
        let suffix = request.backup ?? (changesFormat ? CompactRequest.backupSuffix : nil)
        let backup = try suffix.map { suffix throws(RealmError) in
            try Backup(of: path, suffix: suffix, force: request.mayReplace)
        }
        let output = try CompactOutput(request, path: path, force: true)
        try attributes.apply(to: output.descriptor)
        var options = request.options
        options.keepsFileIdentifier = true
        options.isTransactional = true
        if let conversion {
            try ConversionRun(request, conversion, path).make(database, output, options)
        } else {
            try output.write(database, options)
        }
        try backup?.make()
        try output.publish()
        return try account.report(output.result!, database, output: nil)
    }

    private static var otherFormat: RealmError {
        RealmError(
            .incompatible, code: "IllegalOperation", reason: "other-format",
            "the format of a file is changed in place only with --force",
            hint: "-o NEW keeps the old file")
    }
}

/// `--wait`: waits until other processes have closed a file.
struct OpenersWait {
    private let wait: WaitPolicy
    private let began = MonotonicClock.nanoseconds()

    init(_ wait: WaitPolicy) { self.wait = wait }

    /// Waits 50 ms and returns true. Returns false at once if the time of `--wait` has passed.
    mutating func mayRepeat() -> Bool {
        switch wait {
        case .none: return false
        case .atMost(let duration) where MonotonicClock.hasPassed(duration, since: began):
            return false
        case .atMost, .forever:
            usleep(50_000)
            return true
        }
    }
}

/// `--backup`: keeps the original under another name.
struct Backup {
    private let path: String
    private let name: String
    private let force: Bool

    init(of path: String, suffix: String, force: Bool) throws(RealmError) {
        self.path = path
        name = path + suffix
        self.force = force
        var status = stat()
        if !force, lstat(name, &status) == 0, !isMade {
            throw RealmError(
                .misuse, code: "FileAlreadyExists", reason: "backup-exists",
                "the backup file exists", file: name, hint: "--force replaces it")
        }
    }

    /// Whether an interrupted run has already created the backup as a hard link to the file.
    private var isMade: Bool {
        var (file, backup) = (stat(), stat())
        return stat(path, &file) == 0 && lstat(name, &backup) == 0
            && file.st_ino == backup.st_ino && file.st_dev == backup.st_dev
    }

    /// Creates the backup as a hard link to the file. Where hard links are not supported, creates a
    /// copy.
    func make() throws(RealmError) {
        if isMade { return }
        if force { unlink(name) }
        if link(path, name) == 0 { return }
        let code = errno
        guard code == EPERM || code == EOPNOTSUPP || code == EMLINK else {
            throw systemFailure(.output, "cannot make the backup", errno: code, file: name)
        }
        let copy = try OutputFile(path: name, force: force)
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else {
            throw systemFailure(.input, "cannot read for the backup", errno: errno, file: path)
        }
        defer { close(source) }
        var buffer = ByteBuffer(capacity: 1 << 20)
        while true {
            let count = read(source, buffer.reserve(1 << 20), 1 << 20)
            guard count >= 0 else {
                throw systemFailure(.input, "cannot read for the backup", errno: errno, file: path)
            }
            if count == 0 { break }
            buffer.advance(by: count)
            try copy.flush(&buffer)
        }
        try copy.commit()
    }
}
