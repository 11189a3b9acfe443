import RealmEngine

/// Opens the database of a command without a trace, and reads it again when a commit landed
/// meanwhile (realm-tools(7), ACCESS).
package struct DatabaseReading {
    private let command: ParsedCommand
    private let path: String
    private let isOneOfTwo: Bool

    /// - Parameters:
    ///   - path: another database than the first operand.
    ///   - isOneOfTwo: the key of the command may be that of another file.
    package init(_ command: ParsedCommand, path: String? = nil, isOneOfTwo: Bool = false) {
        self.command = command
        self.isOneOfTwo = isOneOfTwo
        self.path = path ?? command.operand(0) ?? ""
    }

    /// Calls `body` with the database until no commit landed meanwhile.
    ///
    /// - Parameters:
    ///   - output: where `body` writes, taken back in between; once something reached a pipe or a
    ///     terminal that is impossible. Nil when `body` sees to it itself.
    ///   - newest: `body` sees to `--at` itself.
    package func read<R>(
        to output: OutputFile?, newest: Bool = false, _ body: (Database) throws(RealmError) -> R
    ) throws(RealmError) -> R {
        var retry = RetryPolicy(command.wait)
        // A participant keeps its version, which is the previous one once a commit landed.
        var kept: Database?
        while true {
            var database: Database?
            do throws(RealmError) {
                let opened = newest ? try openNewest() : try open(&kept)
                database = opened
                return try body(opened)
            } catch {
                // Bytes overwritten while they were read look like damage.
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

    /// - Parameter kept: a participant at the version that was the newest when reading began.
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

    /// The version before one that cannot be opened, verified: nobody looked after it since.
    private func openPrevious(
        _ choice: VersionChoice, insteadOf damage: RealmError
    ) throws(RealmError) -> Database {
        guard let previous = try? Database(previous: path, key: command.readKey()),
            choice == .previous || choice == .number(previous.version),
            IntegrityCheck(previous).run().errorCount == 0
        else { throw damage }
        return previous
    }

    /// A key that cannot be of use is an error, as in every tool.
    package func checkKey() throws(RealmError) {
        if command.keyFilePath != nil { _ = try openNewest() }
    }

    /// Takes part in the session of the file, and begins one, with its lock file, where nobody else
    /// is; nil where that cannot be.
    package func takePart() throws(RealmError) -> Database? {
        if path == "-" || command.access == .immutable { return nil }
        return try Database(
            takingPartIn: path, createsLockFile: true, command.wait.patience,
            key: command.readKey())
    }

    /// Opens the file, or what standard input holds.
    package func openNewest() throws(RealmError) -> Database {
        do throws(RealmError) {
            return try open(key: try command.readKey())
        } catch {
            // The key may be that of the other file.
            if error.reason == "not-encrypted", isOneOfTwo { return try open(key: nil) }
            throw command.explaining(error)
        }
    }

    /// As a participant where a session is live and the command allows it, else without a trace.
    private func open(key: EncryptionKey?) throws(RealmError) -> Database {
        if path == "-" {
            return try Database(standardInputInto: Terminal.temporaryDirectory, key: key)
        }
        if command.access != .immutable,
            let live = try Database(joiningLive: path, command.wait.patience, key: key)
        {
            return live
        }
        guard command.access != .shared else {
            throw RealmError(
                .incompatible, code: "IncompatibleLockFile", reason: "no-session",
                "there is no live session that could be joined", file: path,
                hint: "--access immutable reads the file without one")
        }
        return try Database(immutable: path, key: key)
    }
}
