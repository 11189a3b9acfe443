extension Database {
    /// Opens the version in the header slot that is not selected, without joining a session. It is
    /// the version before the newest. It is intact as long as no later commit has reused its space,
    /// so check the version before you rely on it.
    ///
    /// - Throws: `input` if that slot has no version, and the errors of opening any version.
    public convenience init(
        previous path: String, key: EncryptionKey? = nil
    ) throws(RealmError) {
        do throws(RealmError) {
            try self.init(MappedFile(path: path, DatabaseKey(key)), slot: Self.previousSlot)
        } catch { throw error.inFile(path) }
    }

    /// Whether the handle was opened at the version before the newest.
    package var isBeforeNewest: Bool { header.slot != raw.selected }

    static func previousSlot(_ raw: RawHeader) throws(RealmError) -> Int? {
        let slot = 1 - raw.selected
        let top = raw.top(slot)
        guard raw.hasMagic, top != 0, top != FileHeader.streamingMark, raw.top0 != .max else {
            throw RealmError(
                .input, code: "BadVersion", reason: "no-previous",
                "the header names no version before the newest")
        }
        return slot
    }
}

extension IntegrityCheck {
    /// Checks the version before the newest of the file at `path`. Returns nil if the header has
    /// none.
    @_optimize(size)
    package static func runPrevious(
        path: String, level: Level = .full, key: EncryptionKey? = nil
    ) throws(RealmError) -> IntegrityReport? {
        let file = try MappedFile(path: path, DatabaseKey(key))
        let raw = try file.rawHeader()
        let size = try file.extendToEnd()
        guard let slot = try? Database.previousSlot(raw),
            let header = try? file.header(raw, size: size, slot: slot),
            !FileFormat.legacy.contains(header.format)
        else { return nil }
        return IntegrityCheck(
            file.mapping, fileSize: size, header: header, top: header.top,
            level: level, owner: file
        ).run()
    }

    /// Checks the database that is read from standard input. It is first copied to a file without a
    /// name in `directory`.
    package static func run(
        standardInputInto directory: String, level: Level = .full, key: EncryptionKey? = nil,
        meter: ProgressCounter? = nil
    ) throws(RealmError) -> IntegrityReport {
        do throws(RealmError) {
            let file = try File.spooled(from: 0, directory: directory)
            return try run(MappedFile(file, nil, DatabaseKey(key)), level: level, meter: meter)
        } catch { throw error.inFile("-") }
    }
}
