import Glibc
import RealmEngine
import ToolKit

/// The database a command writes to: an existing file, one it makes, or, with `-n`, a rehearsal.
///
/// A file that is to replace another, or of a rehearsal, is made in a passing directory. Any other
/// new file has its name from the beginning, so that a load that never ends can be read meanwhile;
/// it goes away again when the command fails, or is told to end, before records are in it.
final class WriteTarget {
    let session: WriteSession
    private let request: WriteRequest
    private let making: Making

    private enum Making {
        /// The file was there.
        case none
        /// Under its own name, with what the signal handlers know until it holds records.
        case inPlace([TemporaryFiles.Entry])
        case replacing(String, TemporaryDirectory)
        case rehearsal(TemporaryDirectory)
    }

    /// The new file holds records: it stays, whatever comes.
    private var isKept = false
    /// What waits for the file to have its name.
    private var waiting: [() throws(RealmError) -> Void] = []

    init(_ request: WriteRequest) throws(RealmError) {
        self.request = request
        var options = WriteSession.Options()
        options.isDurable = request.isDurable
        options.patience = request.patience
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
        case .replacing(_, let passing):
            session = try WriteSession(path: passing.database, options: options)
        case .rehearsal(let passing):
            options.isDurable = false
            session = try WriteSession(path: passing.database, options: options)
        }
    }

    /// Whether what is committed is in the user's file at once.
    var isInPlace: Bool {
        switch making {
        case .none, .inPlace: true
        case .replacing, .rehearsal: false
        }
    }

    /// Records are durable in the file.
    func keep() {
        if isKept { return }
        isKept = true
        if case .inPlace(let entries) = making { entries.forEach(TemporaryFiles.remove) }
    }

    /// Calls `body` when what is committed is in the user's file.
    func whenPublished(_ body: @escaping () throws(RealmError) -> Void) {
        waiting.append(body)
    }

    /// The file is complete: gives it its name.
    func finish() throws(RealmError) {
        keep()
        if case .replacing(let destination, let passing) = making {
            try publish(passing, as: destination)
        }
        let waiting = waiting
        // What waits may keep the target in its turn, whose passing directory goes with it.
        self.waiting = []
        for body in waiting { try body() }
    }

    /// The command failed.
    func abandon() {
        waiting = []
        guard case .inPlace(let entries) = making, !isKept else { return }
        // Somebody else may have found it by its name.
        if FileHolders.names(participating: request.path).isEmpty {
            unlink(request.path)
            CompanionFiles.remove(beside: request.path)
        }
        entries.forEach(TemporaryFiles.remove)
    }

    private func publish(
        _ passing: TemporaryDirectory, as destination: String
    ) throws(RealmError) {
        try Self.checkUnused(destination)
        if let permissions = FilePermissions(of: destination) {
            let descriptor = open(passing.database, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            if descriptor >= 0 {
                permissions.complete(descriptor)
                close(descriptor)
            }
        }
        guard rename(passing.database, destination) == 0 else {
            throw systemFailure(.output, "cannot rename", errno: errno, file: request.path)
        }
        try syncDirectory(of: destination, for: request.path)
    }

    // MARK: Making

    private static func opened(
        _ request: WriteRequest, _ options: WriteSession.Options
    ) throws(RealmError) -> WriteSession {
        do throws(RealmError) {
            return request.isDryRun
                ? try WriteSession(
                    rehearsing: request.path, temporaryDirectory: Terminal.temporaryDirectory,
                    request.patience, key: options.key)
                : try WriteSession(path: request.path, options: options)
        } catch {
            guard error.reason == "empty" else { throw request.command.explaining(error) }
            throw RealmError(
                error.kind, code: error.code, reason: error.reason, error.message,
                file: request.path, hint: "--create --force makes a database in its place")
        }
    }

    /// The key of the database, or the one a new one is to have.
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
                "-K is for a database that exists", code: "InvalidArgument",
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

    /// Programs that have the file open would go on with one that has no name any more.
    private static func checkUnused(_ path: String) throws(RealmError) {
        let openers = FileHolders.names(participating: path)
        guard openers.isEmpty else {
            throw RealmError(
                .busy, code: "FileBusy", reason: "in-use",
                "in use by \(openers.joined(separator: ", "))", file: path)
        }
    }
}
