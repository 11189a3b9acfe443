/// What happens to a file before a process has it open.
enum FileStart {
    /// Makes the file a copy of the database at `seed`, unless there is one already.
    ///
    /// Throws what reading and copying throw.
    @_optimize(size)
    static func copy(
        _ seed: String, to place: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) {
        if FileIdentity(path: place.path) != nil { return }
        let source: Database
        if let live = try Database(joiningLive: seed, key: key) {
            source = live
        } else {
            source = try Database(immutable: seed, key: key)
        }
        do throws(RealmError) {
            try FileCopy.write(source.snapshot(), to: place.path, options: options(key))
        } catch {
            // Another process was faster: its file is the one.
            if error.reason != "output-exists" { throw error }
        }
    }

    /// Compacts the file if `decide` says so and nobody has it open.
    ///
    /// Throws what reading and writing throw.
    static func compact(
        _ place: DatabasePath, _ key: EncryptionKey?, if decide: OpeningRequest.CompactDecision
    ) throws(RealmError) {
        guard let file = try present(place, key) else { return }
        guard decide(Int(clamping: file.fileBytes), Int(clamping: file.liveBytes)) else { return }
        try alone(place, key) { (database) throws(RealmError) in
            try replace(place, by: database.snapshot(), key)
        }
    }

    /// Nil where there is nothing to be compacted.
    private static func present(
        _ place: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) -> Database? {
        guard FileIdentity(path: place.path) != nil else { return nil }
        do throws(RealmError) { return try Database(immutable: place.name, key: key) } catch {
            if error.reason == "empty" { return nil }
            throw error
        }
    }

    /// Puts a database without classes in the file's place. Throws `busy` when others have it open.
    static func replaceByEmpty(
        _ place: DatabasePath, _ key: EncryptionKey?
    ) throws(RealmError) {
        let nothing = try Database.withoutName()
        try ExclusiveAccess.run(path: place.name, key: key) { (_) throws(RealmError) in
            try replace(place, by: nothing.snapshot(), key)
            return key
        }
    }

    private static func alone(
        _ place: DatabasePath, _ key: EncryptionKey?,
        _ body: (Database) throws(RealmError) -> Void
    ) throws(RealmError) {
        do throws(RealmError) {
            try ExclusiveAccess.run(path: place.name, key: key) { (database) throws(RealmError) in
                try body(database)
                return key
            }
        } catch { if error.kind != .busy { throw error } }
    }

    private static func replace(
        _ place: DatabasePath, by snapshot: Snapshot, _ key: EncryptionKey?
    ) throws(RealmError) {
        var options = options(key)
        options.keepsFileIdentifier = true
        options.isTransactional = true
        try FileCopy.write(
            snapshot, to: place.path, replacing: true,
            permissions: FilePermissions(of: place.path), options: options)
    }

    private static func options(_ key: EncryptionKey?) -> Compactor.Options {
        var options = Compactor.Options()
        options.key = key
        return options
    }
}
