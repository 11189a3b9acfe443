import RealmEngine

/// Opens the database of a command without writing to it. Reads again if another process commits
/// while the database is read (realm-tools(7), ACCESS).
package struct DatabaseReading {
    private let command: ParsedCommand
    private let path: String
    private let isOneOfTwo: Bool

    /// - Parameters:
    ///   - path: path of the database to open; nil for the first operand of `command`.
    ///   - isOneOfTwo: whether the command reads two files. A key given on the command line may
    ///     then belong to the other file, so an unencrypted file is no error.
    package init(_ command: ParsedCommand, path: String? = nil, isOneOfTwo: Bool = false) {
        self.command = command
        self.isOneOfTwo = isOneOfTwo
        self.path = path ?? command.operand(0) ?? ""
    }

    /// Version to open.
    package enum Version {
        /// The version that `--at` selects; the newest by default.
        case chosen
        case newest
        /// The newest version; if it is damaged, the version before it.
        case newestReadable
    }

    /// Calls `body` with the database. If another process committed during the call, discards the
    /// output and calls `body` again.
    ///
    /// - Parameter output: output of `body`. If a part of the output was already written to a pipe
    ///   or terminal, an error is thrown instead of a second call. Nil if there is no output to
    ///   discard.
    package func read<R>(
        to output: OutputFile?, at version: Version = .chosen,
        _ body: (Database) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        var retry = RetryPolicy(command.wait)
        // Database of the first attempt, if it is shared with other processes. Later attempts open
        // the version chosen by `--at` relative to the version of this database: after a commit,
        // `previous` would otherwise be another version.
        var kept: Database?
        while true {
            var database: Database?
            do throws(RealmError) {
                let opened =
                    switch version {
                    case .chosen: try open(&kept)
                    case .newest: try openNewest()
                    case .newestReadable: try openReadable()
                    }
                database = opened
                return try body(opened)
            } catch {
                // Another process may have overwritten bytes during reading; that looks like
                // damage.
                let hasChanged =
                    DatabaseChange.isBehind(error)
                    || (error.isDamage && database?.hasChanged ?? false)
                guard hasChanged else { throw error }
                guard try output?.restart() ?? true, retry.mayRepeat() else {
                    throw DatabaseChange.error
                }
            }
        }
    }

    /// Opens the version of the database that `--at` selects.
    package func open() throws(RealmError) -> Database {
        var kept: Database?
        return try open(&kept)
    }

    /// Opens the version that `--at` selects.
    ///
    /// - Parameter kept: the database that the first call opened, if it is shared with other
    ///   processes; nil before. Later calls select a version relative to the version of this
    ///   database.
    private func open(_ kept: inout Database?) throws(RealmError) -> Database {
        guard path == command.operand(0), let choice = command.version else {
            return try openNewest()
        }
        if let kept { return try kept.at(choice) }
        let newest: Database
        do throws(RealmError) { newest = try openNewest() } catch {
            guard error.isDamage, path != "-" else { throw error }
            return try openPrevious(choice, insteadOf: error)
        }
        if newest.isShared { kept = newest }
        return try newest.at(choice)
    }

    /// Opens the newest version; if it is damaged, the version before it.
    private func openReadable() throws(RealmError) -> Database {
        do throws(RealmError) { return try openNewest() } catch {
            guard error.isDamage, path != "-" else { throw error }
            return try openPrevious(.previous, insteadOf: error)
        }
    }

    /// Opens the version before a damaged newest version. Checks its integrity first, since a
    /// commit may have overwritten parts of it.
    private func openPrevious(
        _ choice: VersionChoice, insteadOf damage: RealmError
    ) throws(RealmError) -> Database {
        guard let previous = try? Database(previous: path, key: command.readKey()),
            choice == .previous || choice == .number(previous.version),
            IntegrityCheck(previous).run().errorCount == 0
        else { throw damage }
        return previous
    }

    /// Throws an error if the command's key does not fit the database, even if nothing else is
    /// read.
    package func checkKey() throws(RealmError) {
        if command.keyFilePath != nil { _ = try openNewest() }
    }

    /// Joins the session of the file as a participant. Creates the lock file and the session if
    /// there is none. Returns nil for standard input, with `--access immutable`, and if the file
    /// cannot be joined.
    package func takePart() throws(RealmError) -> Database? {
        if path == "-" || command.access == .immutable { return nil }
        return try Database(
            takingPartIn: path, createsLockFile: true, command.wait.lockTimeout,
            key: command.readKey())
    }

    /// Opens the newest version of the file, or of the database on standard input.
    package func openNewest() throws(RealmError) -> Database {
        do throws(RealmError) {
            return try open(key: try command.readKey())
        } catch {
            // The key may belong to the other file.
            if error.reason == "not-encrypted", isOneOfTwo { return try open(key: nil) }
            throw command.explaining(error)
        }
    }

    /// Opens the file. Joins the session if one is live and the command permits it; otherwise opens
    /// the file without joining and without writing.
    private func open(key: EncryptionKey?) throws(RealmError) -> Database {
        if path == "-" {
            return try Database(standardInputInto: Terminal.temporaryDirectory, key: key)
        }
        if command.access != .immutable,
            let live = try Database(joiningLive: path, command.wait.lockTimeout, key: key)
        {
            return live
        }
        guard command.access != .shared else {
            throw RealmError(
                .incompatible, code: "IncompatibleLockFile", reason: "no-session",
                "--access shared: there is no session to join, as no program with a known lock "
                    + "file has the file open", file: path,
                hint: "--access immutable reads the file without a session")
        }
        return try Database(immutable: path, key: key)
    }
}
