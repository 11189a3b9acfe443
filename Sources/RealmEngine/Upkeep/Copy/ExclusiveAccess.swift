/// Exclusive access to a database: no other process has it open, or can open it during the access
/// (storage format 5.12).
///
/// The work runs while a session begins, with the control mutex locked. A process that joins the
/// session waits for the mutex. If the work replaces the file, the waiting process
/// therefore opens the new file.
package enum ExclusiveAccess {
    /// Runs `body` with exclusive access to the database at `path`.
    ///
    /// - Parameters:
    ///     - path: path of the database.
    ///     - key: key of an encrypted file.
    ///     - lockTimeout: timeout for each lock of the session. Processes that have the file open
    ///       are not waited for.
    ///     - allowsOtherNames: whether to accept a file with several hard links.
    ///     - converts: whether `body` converts a file of another format to the current one.
    ///     - body: the work. It may replace the file, and returns the key of the file that is at
    ///       `path` afterwards.
    /// - Throws: `busy` if another process has the file open, `incompatible` for files that this
    ///   engine does not write and for unknown lock files, `misuse` for a file with several hard
    ///   links, and any error of `body`.
    package static func run(
        path: String, key: EncryptionKey? = nil, _ lockTimeout: LockTimeout = .forever,
        allowsOtherNames: Bool = false, converts: Bool = false,
        _ body: (Database) throws(RealmError) -> EncryptionKey?
    ) throws(RealmError) {
        do throws(RealmError) {
            let resolvedPath = DatabasePath(path)
            try resolvedPath.checkLinks()
            // Check the file first, so that no lock file is created for a file that cannot be
            // processed.
            try check(Database(MappedFile(resolvedPath, DatabaseKey(key))), converts: converts)
            if !allowsOtherNames { try resolvedPath.checkNames() }
            _ = try Session(joining: resolvedPath, isDurable: true, lockTimeout) {
                (isInitiator) throws(RealmError) in
                guard isInitiator else { throw busy(path) }
                let database = try Database(MappedFile(resolvedPath, DatabaseKey(key)))
                try check(database, converts: converts)
                let newKey = DatabaseKey(try body(database))
                return try attachment(Database(MappedFile(resolvedPath, newKey)))
            }
        } catch { throw error.inFile(path) }
    }

    /// Removes the database at `path` and its companion files, except for the lock file: processes
    /// that wait for the lock file then begin another session.
    ///
    /// Throws `busy` if another process has the database open.
    package static func remove(path: String) throws(RealmError) {
        let resolvedPath = DatabasePath(path)
        var isRemoved = false
        do throws(RealmError) {
            try resolvedPath.checkLinks()
            _ = try Session(joining: resolvedPath, isDurable: true, .forever) {
                (isInitiator) throws(RealmError) in
                guard isInitiator else { throw busy(path) }
                try removeFile(resolvedPath.path)
                isRemoved = true
                CompanionFiles.removeUnlocked(beside: resolvedPath.path)
                // An error ends the session that was just begun, because its database no longer
                // exists.
                throw busy(path)
            }
        } catch {
            guard isRemoved else { throw error.inFile(path) }
        }
    }

    private static func check(
        _ database: Database, converts: Bool
    ) throws(RealmError) {
        let format = database.header.format
        guard format == FileFormat.current || format == 0 || converts else {
            throw RealmError(
                .incompatible, code: "FileFormatUpgradeRequired", reason: "old-format",
                "a file of format \(format) is not changed in place",
                hint: FileFormat.legacy.contains(format)
                    ? Database.convertHint : "a compacted copy has the same format")
        }
        if database.newest.top == nil, !database.header.isStreaming {
            try LostHeader(
                database.file.mapping, database.raw, size: database.file.mapping.mapped
            ).check()
        }
        if let type = database.newest.top?.historyType, type != 0, type != 2 {
            throw Session.synced
        }
    }

    private static func attachment(_ database: Database) -> Session.Attachment {
        let state = database.newest
        return Session.Attachment(
            version: state.version, top: database.header.top, logicalSize: state.limit,
            historyType: state.top?.historyType ?? 0)
    }

    /// Makes the error that lists the processes that have the database at `path` open.
    static func busy(_ path: String) -> RealmError {
        let openers = FileHolders.participants(of: path)
        let names = openers.map { "\($0.pid) (\($0.command))" }.joined(separator: ", ")
        let who =
            switch openers.count {
            case 0: "another process"
            case 1: "1 process: \(names)"
            default: "\(openers.count) processes: \(names)"
            }
        return RealmError(
            .busy, code: "FileBusy", reason: "in-use", "in use by \(who)", file: path,
            hint: "stop them, wait until they end, or write a copy")
    }
}
