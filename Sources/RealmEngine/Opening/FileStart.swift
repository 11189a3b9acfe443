/// Operations on a database file before this process opens it.
enum FileStart {
    /// Copies the database at `seed` to `resolvedPath`, unless a file exists there.
    ///
    /// Throws the errors of reading and copying.
    @_optimize(size)
    static func copy(
        _ seed: String, to resolvedPath: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) {
        if FileIdentity(path: resolvedPath.path) != nil { return }
        let source: Database
        if let live = try Database(joiningLive: seed, key: key) {
            source = live
        } else {
            source = try Database(immutable: seed, key: key)
        }
        do throws(RealmError) {
            try FileCopy.write(source.snapshot(), to: resolvedPath.path, options: options(key))
        } catch {
            // Another process has created the file in the meantime. That file is then used.
            if error.reason != "output-exists" { throw error }
        }
    }

    /// Compacts the file if `decide` returns true and no other process has it open.
    ///
    /// Throws the errors of reading and writing.
    static func compact(
        _ resolvedPath: DatabasePath, _ key: EncryptionKey?,
        if decide: OpeningRequest.CompactDecision
    ) throws(RealmError) {
        guard let file = try present(resolvedPath, key) else { return }
        guard decide(Int(clamping: file.fileBytes), Int(clamping: file.liveBytes)) else { return }
        try alone(resolvedPath, key) { (database) throws(RealmError) in
            try replace(resolvedPath, by: database.snapshot(), key)
        }
    }

    /// Opens the file for reading; returns nil if it is missing or empty.
    private static func present(
        _ resolvedPath: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) -> Database? {
        guard FileIdentity(path: resolvedPath.path) != nil else { return nil }
        do throws(RealmError) { return try Database(immutable: resolvedPath.name, key: key) } catch
        {
            if error.reason == "empty" { return nil }
            throw error
        }
    }

    /// Replaces the file by a database without classes. Throws `busy` if another process has the
    /// file open.
    static func replaceByEmpty(
        _ resolvedPath: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) {
        let nothing = try Database.withoutName()
        try ExclusiveAccess.run(path: resolvedPath.name, key: key) { (_) throws(RealmError) in
            try replace(resolvedPath, by: nothing.snapshot(), key)
            return key
        }
    }

    private static func alone(
        _ resolvedPath: DatabasePath, _ key: EncryptionKey?,
        _ body: (Database) throws(RealmError) -> Void
    ) throws(RealmError) {
        do throws(RealmError) {
            try ExclusiveAccess.run(path: resolvedPath.name, key: key) {
                (database) throws(RealmError) in
                try body(database)
                return key
            }
        } catch { if error.kind != .busy { throw error } }
    }

    private static func replace(
        _ resolvedPath: DatabasePath, by snapshot: Snapshot, _ key: EncryptionKey?
    ) throws(RealmError) {
        var options = options(key)
        options.keepsFileIdentifier = true
        options.isTransactional = true
        try FileCopy.write(
            snapshot, to: resolvedPath.path, replacing: true,
            permissions: FilePermissions(of: resolvedPath.path), options: options)
    }

    private static func options(_ key: EncryptionKey?) -> Compactor.Options {
        var options = Compactor.Options()
        options.key = key
        return options
    }
}
