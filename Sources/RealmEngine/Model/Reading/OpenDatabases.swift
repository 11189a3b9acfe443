/// The databases this process takes part in: one `Database` a file, whatever name it is opened by.
enum OpenDatabases {
    private struct Entry {
        let database: UnretainedEntry<Database>
        let path: String
    }

    /// A forked copy of the process begins with none.
    private struct Key: Hashable {
        let file: FileIdentity
        let generation = ForkGeneration.current
    }

    private static let entries = LockedValue<[Key: Entry]>([:])

    /// The open database of the file that is at `place` now.
    ///
    /// Throws `busy` when the file was replaced while the one that had the name is open: they would
    /// share a lock file.
    static func find(_ place: DatabasePath) throws(RealmError) -> Database? {
        guard let file = FileIdentity(path: place.path) else { return nil }
        let key = Key(file: file)
        // Neither is released inside: a database that goes removes itself.
        let (found, other) = entries.withLock { entries in
            (
                entries[key]?.database.object,
                entries.first {
                    $0.value.path == place.path && $0.key.file != file
                        && $0.key.generation == key.generation
                }?.value.database.object
            )
        }
        if other != nil, found == nil { throw replaced(place.name) }
        return found
    }

    static func replaced(_ path: String) -> RealmError {
        RealmError(
            .busy, code: "FileBusy", reason: "replaced",
            "the file was replaced while this program had it open", file: path,
            hint: "close the old one first")
    }

    /// Makes `database` the one of its file, unless another thread was faster: the one to use.
    static func add(_ database: Database) -> Database {
        let key = Key(file: database.file.identity)
        return entries.withLock { entries in
            if let other = entries[key]?.database.object { return other }
            entries[key] = Entry(
                database: UnretainedEntry(database),
                path: database.file.place?.path ?? database.path)
            return database
        }
    }

    /// `database` goes.
    static func remove(_ id: ObjectIdentifier) {
        entries.withLock { entries in
            // Also in a forked copy of the process, where its key is another.
            guard let i = entries.firstIndex(where: { $0.value.database.id == id }) else { return }
            entries.remove(at: i)
        }
    }
}
