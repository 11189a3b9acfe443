import RealmEngine

/// Opens the database of a command without writing to it, and repeats the reading if a commit
/// happened meanwhile (realm-tools(7), ACCESS).
package struct DatabaseReading {
    private let command: ParsedCommand
    private let path: String
    private let isOneOfTwo: Bool

    /// - Parameters:
    ///   - path: database to open; nil for the first operand.
    ///   - isOneOfTwo: whether the command reads two files, so that its key may belong to the other
    ///     one.
    package init(_ command: ParsedCommand, path: String? = nil, isOneOfTwo: Bool = false) {
        self.command = command
        self.isOneOfTwo = isOneOfTwo
        self.path = path ?? command.operand(0) ?? ""
    }

    /// Version that is opened.
    package enum Version {
        /// The one that `--at` chooses.
        case chosen
        case newest
        /// The newest, or the one before it where the newest cannot be opened.
        case newestReadable
    }

    /// Calls `body` with the database, again each time a commit happened meanwhile.
    ///
    /// - Parameters:
    ///   - output: where `body` writes, taken back in between; once something reached a pipe or a
    ///     terminal that is impossible. Nil when `body` sees to it itself.
    package func read<R>(
        to output: OutputFile?, at version: Version = .chosen,
        _ body: (Database) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        var retry = RetryPolicy(command.wait)
        // A participant keeps its version, which becomes the previous one after a commit.
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
                // Bytes that are overwritten during reading look like damage.
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

    /// Opens the version of the file that the command asks for.
    package func open() throws(RealmError) -> Database {
        var kept: Database?
        return try open(&kept)
    }

    /// - Parameter kept: a participant at the version that was the newest when reading began; set
    ///   by the first call.
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

    /// The newest version, or the one before it where the newest cannot be opened.
    private func openReadable() throws(RealmError) -> Database {
        do throws(RealmError) { return try openNewest() } catch {
            guard error.isDamage, path != "-" else { throw error }
            return try openPrevious(.previous, insteadOf: error)
        }
    }

    /// The version before one that cannot be opened. It is verified, as a commit may have overwritten it.
    private func openPrevious(
        _ choice: VersionChoice, insteadOf damage: RealmError
    ) throws(RealmError) -> Database {
        guard let previous = try? Database(previous: path, key: command.readKey()),
            choice == .previous || choice == .number(previous.version),
            IntegrityCheck(previous).run().errorCount == 0
        else { throw damage }
        return previous
    }

    /// Throws if the command names a key that the database cannot use, even if nothing is read.
    package func checkKey() throws(RealmError) {
        if command.keyFilePath != nil { _ = try openNewest() }
    }

    /// Joins the session of the file, creating the lock file and the session if there is none. Nil
    /// for standard input, for `--access immutable`, and if the file cannot be joined.
    package func takePart() throws(RealmError) -> Database? {
        if path == "-" || command.access == .immutable { return nil }
        return try Database(
            takingPartIn: path, createsLockFile: true, command.wait.lockTimeout,
            key: command.readKey())
    }

    /// Opens the file or the database on standard input.
    package func openNewest() throws(RealmError) -> Database {
        do throws(RealmError) {
            return try open(key: try command.readKey())
        } catch {
            // The key may belong to the other file.
            if error.reason == "not-encrypted", isOneOfTwo { return try open(key: nil) }
            throw command.explaining(error)
        }
    }

    /// Opens the file as a participant if a session is live and the command permits it, else
    /// without writing to it.
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
