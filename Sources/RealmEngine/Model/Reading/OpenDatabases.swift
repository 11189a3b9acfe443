/// Databases in whose sessions this process participates: one `Database` per file, whatever its
/// path.
enum OpenDatabases {
    private struct Entry {
        let database: UnretainedEntry<Database>
        let path: String
    }

    /// Identity of an open file in this process. Contains the fork generation, so that a forked
    /// copy of the process does not find its parent's databases.
    private struct Key: Hashable {
        let file: FileIdentity
        let generation = ForkGeneration.current
    }

    private static let entries = LockedValue<[Key: Entry]>([:])

    /// Returns the open database of the file at `resolvedPath`; nil if there is none.
    ///
    /// Throws `busy` if the file was replaced while the previous one is open, because both would
    /// share a lock file.
    static func find(_ resolvedPath: DatabasePath) throws(RealmError) -> Database? {
        guard let file = FileIdentity(path: resolvedPath.path) else { return nil }
        let key = Key(file: file)
        // Both are released outside of the lock, because a deinitialised database removes itself.
        let (found, other) = entries.withLock { entries in
            (
                entries[key]?.database.object,
                entries.first {
                    $0.value.path == resolvedPath.path && $0.key.file != file
                        && $0.key.generation == key.generation
                }?.value.database.object
            )
        }
        if other != nil, found == nil { throw replaced(resolvedPath.name) }
        return found
    }

    static func replaced(_ path: String) -> RealmError {
        RealmError(
            .busy, code: "FileBusy", reason: "replaced",
            "the file was replaced while this program had it open", file: path,
            hint: "close the old one first")
    }

    /// Registers `database` and returns it. If another thread has registered one for the file,
    /// returns that one.
    static func add(_ database: Database) -> Database {
        let key = Key(file: database.file.identity)
        return entries.withLock { entries in
            if let other = entries[key]?.database.object { return other }
            entries[key] = Entry(
                database: UnretainedEntry(database),
                path: database.file.resolvedPath?.path ?? database.path)
            return database
        }
    }

    /// Removes a database that is being deinitialised.
    static func remove(_ id: ObjectIdentifier) {
        entries.withLock { entries in
            // Searched by id, because the key differs in a forked copy of the process.
            guard let i = entries.firstIndex(where: { $0.value.database.id == id }) else { return }
            entries.remove(at: i)
        }
    }
}
