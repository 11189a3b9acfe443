extension Instance {
    /// Opens a database after preparing its file as `request` says: creates the file from a seed or
    /// empty, compacts it, and migrates it to the wanted classes. Other threads of this process
    /// that open the file wait meanwhile, and other processes see the file either before or after
    /// all of this.
    ///
    /// Must be called in the context of `confinement`. Throws `misuse` with the code
    /// `SchemaMismatch` if the file has other classes with the same or a newer schema version, and
    /// with the code `MismatchedConfig` if this process has the file open with another
    /// configuration. Rethrows errors of the migration, after which the file is unchanged, and
    /// errors of opening a database.
    public static func open(
        _ request: OpeningRequest, on confinement: Confinement = .thread
    ) throws(RealmError) -> Instance {
        do throws(RealmError) {
            return try OpeningTurn.run(request) { (opened) throws(RealmError) in
                try Opening(request: request, confinement: confinement).run(&opened)
            }
        } catch { throw error.inFile(request.configuration.path) }
    }
}

/// One call of `open`. While it runs, no other thread of this process can open the file
/// (`OpeningTurn`).
private struct Opening {
    let request: OpeningRequest
    let confinement: Confinement

    private var configuration: Instance.Configuration { request.configuration }
    private var place: DatabasePath { DatabasePath(configuration.path) }

    func run(_ opened: inout OpeningTurn.Opened) throws(RealmError) -> Instance {
        try opened.checkAgreement(request)
        if request.isReadOnly { return try reading(&opened) }
        let isFirst = opened.database == nil
        if isFirst, !configuration.isInMemory { try prepareFile() }
        var instance = try Instance.open(configuration, on: confinement)
        if let schema = request.schema, !opened.isUpToDate(schema) {
            if isFirst, SchemaUpdate(schema).needsNewFile(instance.snapshot().schema) {
                try recreate(&instance)
            }
            try SchemaUpdate(schema).run(on: instance)
        }
        opened.note(instance.database, request)
        return instance
    }

    private func reading(_ opened: inout OpeningTurn.Opened) throws(RealmError) -> Instance {
        let key = configuration.key
        let database: Database
        if let known = opened.database {
            try DatabaseKey(key).checkAgreement(known.file)
            database = known
        } else if let live = try Database(joiningLive: configuration.path, key: key) {
            database = live
        } else {
            database = try Database(immutable: configuration.path, key: key)
        }
        if let schema = request.schema { try SchemaUpdate(schema).checkReadable(database.schema) }
        opened.note(database, request)
        return Instance.reading(database)
    }

    private func prepareFile() throws(RealmError) {
        if let seed = request.seedPath { try FileStart.copy(seed, to: place, configuration.key) }
        if let decide = request.shouldCompact {
            try FileStart.compact(place, configuration.key, if: decide)
        }
    }

    private func recreate(_ instance: inout Instance) throws(RealmError) {
        instance.close()
        // Close the database first: when the file is replaced, no process may have it open, not
        // even this one.
        instance = Instance.reading(try Database.withoutName())
        try FileStart.replaceByEmpty(place, configuration.key)
        instance = try Instance.open(configuration, on: confinement)
    }
}
