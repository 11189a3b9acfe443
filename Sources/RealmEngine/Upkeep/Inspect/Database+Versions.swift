/// Which version of a database is meant.
public enum VersionChoice: Sendable, Equatable {
    case newest
    /// The one before the newest: what the other slot of the header selects.
    case previous
    case number(UInt64)
}

extension Database {
    /// A handle on another version of the same open file, at which it stays. Snapshots of both may
    /// be compared.
    ///
    /// A version of a live session is pinned. The previous version of the header is checked first
    /// and, where nobody keeps it, read without a pin: `hasChanged` tells afterwards whether a
    /// commit landed meanwhile. Asked again then, the handle of a live session has the answer: the
    /// version it keeps itself is the one before what landed.
    ///
    /// Throws `misuse` with the code `BadVersion` when the version can no longer be read.
    public func at(_ choice: VersionChoice) throws(RealmError) -> Database {
        do throws(RealmError) {
            switch choice {
            case .newest: return try at(number: version)
            case .number(let number): return try at(number: number)
            case .previous: return try previous()
            }
        } catch { throw error.inFile(path) }
    }

    /// How long a commit that is under way is waited for: until it is done, its root stands in place
    /// of the previous one, and its nodes may.
    private static let commitMilliseconds = 1000

    private func previous() throws(RealmError) -> Database {
        let deadline = Deadline.after(milliseconds: Self.commitMilliseconds)
        while true {
            if let session, session.newestVersion > version, let pinned = try pinned(version) {
                return pinned
            }
            let raw = try file.rawHeader()
            let wasBusy = isBeingWritten
            do throws(RealmError) {
                if let found = try previousOfHeader() { return found }
            } catch {
                // A commit that was under way before is seen at work, or by the header it changed.
                let isQuiet = !wasBusy && !isBeingWritten
                let isSame = try file.rawHeader() == raw
                if isQuiet && isSame || !isInUse { throw error }
            }
            // Whatever it looks like now is no damage.
            if deadline.hasPassed { throw MappedFile.changing(path) }
            Deadline.sleep(milliseconds: 1)
        }
    }

    /// The version in the header's other slot, pinned or else verified; nil when a commit that is
    /// under way, or came meanwhile, may have overwritten it.
    private func previousOfHeader() throws(RealmError) -> Database? {
        let previous = try previousState()
        if let pinned = try pinned(previous.state.version) { return pinned }
        if isBeingWritten { return nil }
        let finding = finding(in: previous)
        // In this order: a writer that is seen by neither came after all that was read.
        guard !isBeingWritten, try file.rawHeader() == previous.raw else { return nil }
        if let finding {
            throw .corrupt(
                "the previous version is not whole: \(finding.what)", at: previous.header.top)
        }
        return try Database(self, at: previous.state, pin: nil, raw: previous.raw)
    }

    private func at(number: UInt64) throws(RealmError) -> Database {
        if let pinned = try pinned(number) { return pinned }
        if session == nil, number == version {
            return try Database(self, at: newest, pin: nil, raw: raw)
        }
        if let previous = try? previous(), previous.version == number { return previous }
        throw .misuse(
            "version \(number) is no longer kept", code: "BadVersion", reason: "version-gone",
            hint: "these can be read: \(try readable())")
    }

    private func readable() throws(RealmError) -> String {
        var numbers = try session?.heldVersions() ?? [version]
        if let previous = try? previousState().state.version, !numbers.contains(previous) {
            numbers.insert(previous, at: 0)
        }
        return numbers.map { "\($0)" }.joined(separator: ", ")
    }

    private func pinned(_ number: UInt64) throws(RealmError) -> Database? {
        guard let session, let pin = try session.pin(version: number) else { return nil }
        do throws(RealmError) {
            return try Database(self, at: try Self.state(file, pin), pin: pin, raw: raw)
        } catch {
            session.release(pin)
            throw error
        }
    }

    /// What the header's other slot selects.
    private struct Previous {
        let raw: RawHeader
        let header: FileHeader
        let size: Int
        let state: VersionState
    }

    /// The version in the header's other slot, if there is one before the newest. Looked for again
    /// when a commit came in between, whose header names another.
    private func previousState() throws(RealmError) -> Previous {
        func other(_ raw: RawHeader) throws(RealmError) -> Int? {
            let slot = raw.selected ^ 1
            let isStreaming = raw.top0 == FileHeader.streamingMark
            guard !isStreaming, raw.top(slot) != 0 else { throw Self.noPrevious }
            return slot
        }
        let read = try file.whileUnchanged(slot: other) { (header, size) throws(RealmError) in
            (size: size, state: try previousState(header, size))
        }
        return Previous(
            raw: read.raw, header: read.header, size: read.result.size, state: read.result.state)
    }

    private func previousState(
        _ header: FileHeader, _ size: Int
    ) throws(RealmError) -> VersionState {
        let state = try VersionState.read(
            file.mapping, size: size, format: header.format, top: header.top)
        let memory = ReadContext(file.mapping, limit: UInt64(size))
        defer { withExtendedLifetime(memory) {} }
        let newest = Ref(try file.rawHeader().top(header.slot ^ 1))
        // A selected slot without a root: nothing is newer.
        if newest.isNone { return state }
        guard state.version < (try TopArray(memory.lookup, newest, fileSize: size)).version
        else { throw Self.noPrevious }
        return state
    }

    /// Returns the first error of the version, nil when it is whole. Reads all nodes, and all values
    /// too where a node lacks its signature: an old engine wrote it, or a commit has overwritten it.
    private func finding(in previous: Previous) -> IntegrityReport.Finding? {
        func check(_ level: IntegrityCheck.Level) -> IntegrityReport {
            IntegrityCheck(
                file.mapping, fileSize: previous.size, header: previous.header,
                top: previous.header.top, level: level, owner: file
            ).run()
        }
        var report = check(.quick)
        if report.counts[.signature] != nil, report.errorCount == 0 { report = check(.full) }
        return report.findings.first { $0.severity == .error }
    }

    private static var noPrevious: RealmError {
        .misuse(
            "the file holds no previous version", code: "BadVersion", reason: "version-gone")
    }

    /// Throws `busy` when another file, or none, has the name the database was opened by: no commit
    /// will be seen here any more.
    package func checkPlace() throws(RealmError) { try file.checkPlace() }

    /// Waits until the session has a version newer than this handle's, at most so long. False when
    /// there is none yet, and at once for a handle without a session.
    public func waitForCommit(milliseconds: Int) throws(RealmError) -> Bool {
        guard let session else { return false }
        if session.newestVersion != version { return true }
        _ = try session.waitForVersion(after: version, until: .after(milliseconds: milliseconds))
        return session.newestVersion != version
    }
}

extension Database {
    /// Takes part in the session of the database at `path` as a reader, and begins one when nobody
    /// else has it open: what the handle pins is then kept, whoever comes later. Beginning a session
    /// changes the lock file, never the database.
    ///
    /// - Parameter createsLockFile: makes the lock file where there is none.
    ///
    /// Nil where that cannot be without creating a lock file or mending the database.
    package convenience init?(
        takingPartIn path: String, createsLockFile: Bool = false,
        _ patience: LockTimeout = .forever,
        key: EncryptionKey? = nil
    ) throws(RealmError) {
        let place = DatabasePath(path)
        let key = DatabaseKey(key)
        do throws(RealmError) {
            guard place.hasOneSession else { return nil }
            if let session = try Session(readingLive: place, patience) {
                try self.init(MappedFile(place, key), session: session)
                return
            }
            guard createsLockFile || LockFileMemory.isThere(place.lock),
                try Self.isPlain(place, key)
            else { return nil }
            let session = try Session(
                joining: place, isDurable: true, namesReaders: false, patience
            ) { (isInitiator) throws(RealmError) in
                if isInitiator, try !Self.isPlain(place, key) { throw Self.needsPreparation }
                return isInitiator ? try Session.Attachment(MappedFile(place, key)) : nil
            }
            try self.init(MappedFile(place, key), session: session)
        } catch {
            if error.reason == Self.needsPreparation.reason { return nil }
            if error.code == "IncompatibleLockFile" { return nil }
            // It could not be made here.
            if createsLockFile, !LockFileMemory.isThere(place.lock) { return nil }
            throw error.inFile(path)
        }
    }

    private static var needsPreparation: RealmError {
        RealmError(
            .incompatible, code: "IllegalOperation", reason: "needs-preparation",
            "a writer has to prepare the file first")
    }

    /// Whether a session can begin with the file as it is.
    private static func isPlain(
        _ place: DatabasePath, _ key: DatabaseKey
    ) throws(RealmError) -> Bool {
        let mapped = try MappedFile(place, key)
        let header = try mapped.whileUnchanged { (header, _) in header }.header
        guard header.format == FileFormat.current, !header.isStreaming, !header.top.isNone else {
            return false
        }
        let attachment = try Session.Attachment(mapped)
        let page: UInt64 = 4096
        let whole = (attachment.logicalSize + page - 1) / page * page
        return UInt64(mapped.size) == whole
            && (attachment.historyType == 0 || attachment.historyType == 2)
    }
}
