import Glibc
import RealmEngine

/// The database a command writes to: an existing file, one it makes, or, with `-n`, a rehearsal.
struct WriteTarget {
    let session: WriteSession
    private let request: WriteRequest
    /// The file made by `--create`, and by which name it will be known.
    private let made: Made?

    private struct Made {
        let path: String
        /// Nil when `path` is final.
        let destination: String?
        /// Of a rehearsal: goes away in any case.
        let isScratch: Bool
    }

    init(_ request: WriteRequest) throws(RealmError) {
        self.request = request
        try Self.checkKey(request)
        var options = WriteSession.Options()
        options.isDurable = request.isDurable
        options.patience = request.patience
        guard request.creates else {
            made = nil
            session =
                request.isDryRun
                ? try WriteSession(
                    rehearsing: request.path, temporaryDirectory: Terminal.temporaryDirectory)
                : try WriteSession(path: request.path, options: options)
            return
        }
        let made = try Self.made(request)
        self.made = made
        if made.destination != nil || made.isScratch {
            for suffix in [""] + SideFiles.suffixes {
                _ = TemporaryFiles.add(made.path + suffix)
            }
        }
        options.creates = true
        if made.isScratch { options.isDurable = false }
        session = try WriteSession(path: made.path, options: options)
    }

    /// The file is complete: gives it its name.
    func finish() throws(RealmError) {
        guard let made else { return }
        if made.isScratch { return Self.remove(made.path) }
        guard let destination = made.destination else { return }
        try Self.checkUnused(destination)
        guard rename(made.path, destination) == 0 else {
            throw systemFailure(.output, "cannot rename", errno: errno, file: destination)
        }
        SideFiles.remove(beside: made.path)
        try OutputFile.Destination.syncDirectory(of: destination, for: destination)
    }

    /// The command failed: a file without any commit, or under a passing name, is not left behind.
    func abandon() {
        guard let made else { return }
        if made.destination != nil || made.isScratch || session.database.version <= 1 {
            Self.remove(made.path)
        }
    }

    // MARK: Making

    private static func made(_ request: WriteRequest) throws(RealmError) -> Made {
        var status = stat()
        let exists = lstat(request.path, &status) == 0
        if exists, !request.mayLoseData {
            throw RealmError(
                .misuse, code: "FileAlreadyExists", reason: "exists", "the file exists",
                file: request.path, hint: "--force replaces it; without --create it is written to")
        }
        if request.isDryRun {
            let folder = Terminal.temporaryDirectory
            return Made(path: try freeName(in: folder), destination: nil, isScratch: true)
        }
        guard exists else { return Made(path: request.path, destination: nil, isScratch: false) }
        try checkUnused(request.path)
        return Made(
            path: try freeName(in: directory(of: request.path)), destination: request.path,
            isScratch: false)
    }

    private static func freeName(in folder: String) throws(RealmError) -> String {
        for number in 0..<1000 {
            let name = "\(folder)/.realm-write-\(getpid())-\(number).tmp"
            var status = stat()
            if lstat(name, &status) != 0 { return name }
        }
        throw systemFailure(.output, "cannot create a file", errno: EEXIST, file: folder)
    }

    /// Programs that have the file open would go on with one that has no name any more.
    private static func checkUnused(_ path: String) throws(RealmError) {
        let openers = Openers.names(participating: path)
        guard openers.isEmpty else {
            throw RealmError(
                .busy, code: "FileBusy", reason: "in-use",
                "in use by \(openers.joined(separator: ", "))", file: path)
        }
    }

    private static func remove(_ path: String) {
        unlink(path)
        SideFiles.remove(beside: path)
    }

    private static func checkKey(_ request: WriteRequest) throws(RealmError) {
        guard try request.command.readKey(Diagnostics(request.command)) != nil else { return }
        throw RealmError(
            .incompatible, code: "IllegalOperation", reason: "not-yet",
            "encrypted files cannot be written yet", file: request.path)
    }
}
