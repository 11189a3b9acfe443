/// Work on a database that nobody else has open, and that nobody can open meanwhile (storage
/// format 5.12).
///
/// The session begins, and stays at its beginning, while the work runs: the control mutex is held,
/// and whoever wants to join waits for it. So a file put in the place of the old one is the only
/// one that others ever see.
package enum ExclusiveAccess {
    /// Runs `body` with the database at `path`; the file there may be replaced. `body` returns the key
    /// that the file has then.
    ///
    /// - Parameters:
    ///   - key: of an encrypted file.
    ///   - patience: for each lock of the session; not for others to close the file.
    ///   - allowsOtherNames: work on a file that has several hard links.
    ///   - converts: `body` puts a file of the format that is written in the place of any other.
    /// - Throws: `busy` when others have it open, `incompatible` for files this engine does not write
    ///   and for lock files it does not know, `misuse` for a file with several hard links, and what
    ///   `body` throws.
    package static func run(
        path: String, key: EncryptionKey? = nil, _ patience: LockTimeout = .forever,
        allowsOtherNames: Bool = false, converts: Bool = false,
        _ body: (Database) throws(RealmError) -> EncryptionKey?
    ) throws(RealmError) {
        do throws(RealmError) {
            let place = DatabasePath(path)
            try place.checkLinks()
            // What cannot be worked on gets no lock file.
            try check(Database(MappedFile(place, DatabaseKey(key))), converts: converts)
            if !allowsOtherNames { try place.checkNames() }
            _ = try Session(joining: place, isDurable: true, patience) {
                (isInitiator) throws(RealmError) in
                guard isInitiator else { throw busy(path) }
                let database = try Database(MappedFile(place, DatabaseKey(key)))
                try check(database, converts: converts)
                let newKey = DatabaseKey(try body(database))
                return try attachment(Database(MappedFile(place, newKey)))
            }
        } catch { throw error.inFile(path) }
    }

    /// Removes the database at `path` and what participants leave beside it, but for the lock file: who
    /// waits for that begins anew.
    ///
    /// Throws `busy` when others have it open.
    package static func remove(path: String) throws(RealmError) {
        let place = DatabasePath(path)
        var isRemoved = false
        do throws(RealmError) {
            try place.checkLinks()
            _ = try Session(joining: place, isDurable: true, .forever) {
                (isInitiator) throws(RealmError) in
                guard isInitiator else { throw busy(path) }
                try removeFile(place.path)
                isRemoved = true
                CompanionFiles.removeUnlocked(beside: place.path)
                // Nobody can take part in what is gone.
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

    /// Names who has the database at `path` open.
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
