/// The databases that this process has open in sessions: one `Database` per file, whatever path it
/// was opened by.
enum OpenDatabases {
    private struct Entry {
        let database: UnretainedEntry<Database>
        let path: String
    }

    /// Key of an open file in `entries`. The fork generation makes a forked copy of the process use
    /// other entries than its parent, whose databases it must not use.
    private struct Key: Hashable {
        let file: FileIdentity
        let generation = ForkGeneration.current
    }

    private static let entries = LockedValue<[Key: Entry]>([:])

    /// Returns the open database of the file at `resolvedPath`; nil if there is none.
    ///
    /// Throws `busy` if another file with this path is still open: the file was replaced, and both
    /// would use the same lock file.
    static func find(_ resolvedPath: DatabasePath) throws(RealmError) -> Database? {
        guard let file = FileIdentity(path: resolvedPath.path) else { return nil }
        let key = Key(file: file)
        // Releasing a database removes it from `entries`, so `found` and `other` are released after
        // the lock is unlocked.
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

    /// Registers `database` and returns it. If another thread has registered one for the same file,
    /// returns that one instead.
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
            // Searches by object: the key of the entry differs in a forked copy of the process.
            guard let i = entries.firstIndex(where: { $0.value.database.id == id }) else { return }
            entries.remove(at: i)
        }
    }
}
