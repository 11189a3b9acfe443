import Glibc
import RealmEngine
import ToolKit

/// The database that a command writes to: an existing file, a new file or, with `-n`, a dry run.
///
/// A file that is to replace another file, and the file of a dry run, are created in a temporary
/// directory. Any other new file has its final path from the beginning, so that readers can follow
/// a load that does not end. It is deleted if the command fails or is interrupted before records
/// are committed.
final class WriteTarget {
    let session: WriteSession
    private let request: WriteRequest
    private let making: Making

    private enum Making {
        /// The database exists already, so the command creates no file.
        case none
        /// A new file at its final path. The entries name the file and its companion files. Until
        /// the file contains records, signal handlers delete the named files.
        case inPlace([TemporaryFiles.Entry])
        case replacing(String, TemporaryDirectory)
        case rehearsal(TemporaryDirectory)
    }

    /// Whether the new file contains records, so that it must not be deleted.
    private var isKept = false
    /// Functions passed to `whenPublished`, to be called when the file has its final path.
    private var waiting: [() throws(RealmError) -> Void] = []

    init(_ request: WriteRequest) throws(RealmError) {
        self.request = request
        var options = WriteSession.Options()
        options.isDurable = request.isDurable
        options.lockTimeout = request.lockTimeout
        options.allowsOtherNames = request.mayLoseData
        options.key = try Self.key(request)
        guard request.creates else {
            making = .none
            session = try Self.opened(request, options)
            return
        }
        making = try Self.making(request)
        options.creates = true
        switch making {
        case .none, .inPlace: session = try WriteSession(path: request.path, options: options)
        case .replacing(_, let temporary):
            session = try WriteSession(path: temporary.database, options: options)
        case .rehearsal(let temporary):
            options.isDurable = false
            session = try WriteSession(path: temporary.database, options: options)
        }
    }

    /// Whether commits are made directly in the user's file.
    var isInPlace: Bool {
        switch making {
        case .none, .inPlace: true
        case .replacing, .rehearsal: false
        }
    }

    /// Marks the file as one that contains durable records and must not be deleted.
    func markKept() {
        if isKept { return }
        isKept = true
        if case .inPlace(let entries) = making { entries.forEach(TemporaryFiles.remove) }
    }

    /// Calls `body` when the commits are in the user's file: at the end of the load.
    func whenPublished(_ body: @escaping () throws(RealmError) -> Void) {
        waiting.append(body)
    }

    /// If the new file replaces another one, moves it to the final path. Then calls the functions
    /// that were passed to `whenPublished`.
    func finish() throws(RealmError) {
        markKept()
        if case .replacing(let destination, let temporary) = making {
            try publish(temporary, as: destination)
        }
        let waiting = waiting
        // The functions may retain the target and its temporary directory, so the target releases
        // them first.
        self.waiting = []
        for body in waiting { try body() }
    }

    /// Deletes a new file after a failure, if it contains no records.
    func abandon() {
        waiting = []
        guard case .inPlace(let entries) = making, !isKept else { return }
        // If another process has opened the file by its path, the file is not deleted.
        if FileHolders.names(participating: request.path).isEmpty {
            unlink(request.path)
            CompanionFiles.remove(beside: request.path)
        }
        entries.forEach(TemporaryFiles.remove)
    }

    private func publish(
        _ temporary: TemporaryDirectory, as destination: String
    ) throws(RealmError) {
        try Self.checkUnused(destination)
        if let permissions = FilePermissions(of: destination) {
            let descriptor = open(temporary.database, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            if descriptor >= 0 {
                permissions.complete(descriptor)
                close(descriptor)
            }
        }
        guard rename(temporary.database, destination) == 0 else {
            throw systemFailure(.output, "cannot rename", errno: errno, file: request.path)
        }
        try syncDirectory(of: destination, for: request.path)
    }

    // MARK: Creation

    private static func opened(
        _ request: WriteRequest, _ options: WriteSession.Options
    ) throws(RealmError) -> WriteSession {
        do throws(RealmError) {
            return request.isDryRun
                ? try WriteSession(
                    rehearsing: request.path, temporaryDirectory: Terminal.temporaryDirectory,
                    request.lockTimeout, key: options.key)
                : try WriteSession(path: request.path, options: options)
        } catch {
            guard error.reason == "empty" else { throw request.command.explaining(error) }
            throw RealmError(
                error.kind, code: error.code, reason: error.reason, error.message,
                file: request.path, hint: "--create --force makes a database in its place")
        }
    }

    /// Returns the encryption key of the existing database, or the key with which a new database is
    /// encrypted.
    private static func key(_ request: WriteRequest) throws(RealmError) -> EncryptionKey? {
        let hasNew = request.command.isGiven(WriteOption.newKey)
        guard request.creates else {
            if hasNew {
                throw .misuse(
                    "--new-encryption-key-file needs --create", code: "InvalidArgument",
                    hint: "realm-compact gives an existing database another key")
            }
            return try request.command.readKey()
        }
        if request.command.isGiven(SharedOptions.key) {
            throw .misuse(
                "-K needs an existing database", code: "InvalidArgument",
                hint: "--new-encryption-key-file encrypts the one that --create makes")
        }
        return try request.command.readNewKey()
    }

    private static func making(_ request: WriteRequest) throws(RealmError) -> Making {
        var status = stat()
        let exists = lstat(request.path, &status) == 0
        if exists, !request.mayLoseData {
            throw RealmError(
                .misuse, code: "FileAlreadyExists", reason: "exists", "the file exists",
                file: request.path, hint: "--force replaces it; without --create it is written to")
        }
        if request.isDryRun {
            return .rehearsal(
                try TemporaryDirectory(in: Terminal.temporaryDirectory, for: request.path))
        }
        guard exists else {
            return .inPlace(
                ([""] + CompanionFiles.suffixes).map { TemporaryFiles.add(request.path + $0) })
        }
        let destination = OutputFile.Destination.resolve(request.path)
        try checkUnused(request.path)
        return .replacing(
            destination,
            try TemporaryDirectory(in: directory(of: destination), for: request.path))
    }

    /// Throws `busy` if processes have the file open: they would continue with a file that no
    /// longer has a path.
    private static func checkUnused(_ path: String) throws(RealmError) {
        let openers = FileHolders.names(participating: path)
        guard openers.isEmpty else {
            throw RealmError(
                .busy, code: "FileBusy", reason: "in-use",
                "in use by \(openers.joined(separator: ", "))", file: path)
        }
    }
}
