/// Selects a version of a database.
public enum VersionChoice: Sendable, Equatable {
    case newest
    /// The version before the newest, in the other header slot.
    case previous
    case number(UInt64)
}

extension Database {
    /// Returns a handle on another version of the same open file. The handle always shows that
    /// version. Its snapshots may be compared with snapshots of this handle.
    ///
    /// A version of a live session is pinned. The version in the header slot that is not selected
    /// is checked first. If it is not pinned, it is read without a pin, and a commit may overwrite
    /// it. The returned handle's `hasChanged` reports this. The caller should then call this
    /// function again. In a live session, the second call pins the version that was the newest
    /// before that commit.
    ///
    /// - Throws: `misuse` with the code `BadVersion` if the version can no longer be read.
    public func at(_ choice: VersionChoice) throws(RealmError) -> Database {
        do throws(RealmError) {
            switch choice {
            case .newest: return try at(number: version)
            case .number(let number): return try at(number: number)
            case .previous: return try previous()
            }
        } catch { throw error.inFile(path) }
    }

    /// Time in milliseconds to wait for a commit in progress. During a commit, the header slot of
    /// the previous version may already contain another root, and the commit may overwrite nodes of
    /// that version.
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
                // The write lock, or a change of the header, shows that a commit is in progress.
                let isQuiet = !wasBusy && !isBeingWritten
                let isSame = try file.rawHeader() == raw
                if isQuiet && isSame || !isInUse { throw error }
            }
            // Inconsistent bytes read during a commit are not damage.
            if deadline.hasPassed { throw MappedFile.changing(path) }
            Deadline.sleep(milliseconds: 1)
        }
    }

    /// Returns the version in the header slot that is not selected, either pinned or verified. Nil
    /// if a commit may have overwritten it.
    private func previousOfHeader() throws(RealmError) -> Database? {
        let previous = try previousState()
        if let pinned = try pinned(previous.state.version) { return pinned }
        if isBeingWritten { return nil }
        let finding = finding(in: previous)
        // The order of these two checks matters: a writer that neither of them detects began after
        // everything was read.
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
        var numbers = try session?.versionsInUse() ?? [version]
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

    /// The version in the header slot that is not selected.
    private struct Previous {
        let raw: RawHeader
        let header: FileHeader
        let size: Int
        let state: VersionState
    }

    /// Reads the version in the header slot that is not selected. Repeats this if a commit changes
    /// the header in the meantime.
    ///
    /// - Throws: `misuse` if that slot has no version before the newest.
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
        // The selected slot has no root, so no version is newer.
        if newest.isNone { return state }
        guard state.version < (try TopArray(memory.lookup, newest, fileSize: size)).version
        else { throw Self.noPrevious }
        return state
    }

    /// Returns the first error of the version; nil if it is intact. Reads all nodes. If a node
    /// lacks its signature, also reads all values, because either an old engine wrote the node or a
    /// commit has overwritten it.
    private func finding(in previous: Previous) -> IntegrityReport.Finding? {
        func check(_ level: IntegrityCheck.Level) -> IntegrityReport {
            let check = IntegrityCheck(
                file.mapping, fileSize: previous.size, header: previous.header,
                top: previous.header.top, level: level, owner: file)
            check.releaser = PageReleaser(file.mapping)
            return check.run()
        }
        var report = check(.quick)
        if report.counts[.signature] != nil, report.errorCount == 0 { report = check(.full) }
        return report.findings.first { $0.severity == .error }
    }

    private static var noPrevious: RealmError {
        .misuse(
            "the file holds no previous version", code: "BadVersion", reason: "version-gone")
    }

    /// Throws `busy` if the path of the database now belongs to another file, or to none. Commits
    /// to that path would not be visible through this handle.
    package func checkPath() throws(RealmError) { try file.checkPath() }

    /// Waits up to `milliseconds` until the session has a version newer than this handle's version.
    /// Returns false if there is none; returns immediately if the handle has no session.
    public func waitForCommit(milliseconds: Int) throws(RealmError) -> Bool {
        guard let session else { return false }
        if session.newestVersion != version { return true }
        _ = try session.waitForVersion(after: version, until: .after(milliseconds: milliseconds))
        return session.newestVersion != version
    }
}

extension Database {
    /// Joins the session of the database at `path` as a reader, or begins one if no process has it
    /// open. Pins of the handle are then respected by later writers. Beginning a session changes
    /// the lock file, never the database.
    ///
    /// Fails (nil) if no session can be joined or begun without creating a lock file or repairing
    /// the database.
    ///
    /// - Parameter createsLockFile: whether to create a missing lock file.
    package convenience init?(
        takingPartIn path: String, createsLockFile: Bool = false,
        _ lockTimeout: LockTimeout = .forever,
        key: EncryptionKey? = nil
    ) throws(RealmError) {
        let resolvedPath = DatabasePath(path)
        let key = DatabaseKey(key)
        do throws(RealmError) {
            guard resolvedPath.hasOneSession else { return nil }
            if let session = try Session(readingLive: resolvedPath, lockTimeout) {
                try self.init(MappedFile(resolvedPath, key), session: session)
                return
            }
            guard createsLockFile || MappedLockFile.isAccessible(resolvedPath.lock),
                try Self.isPlain(resolvedPath, key)
            else { return nil }
            let session = try Session(
                joining: resolvedPath, isDurable: true, namesReaders: false, lockTimeout
            ) { (isInitiator) throws(RealmError) in
                if isInitiator, try !Self.isPlain(resolvedPath, key) { throw Self.needsPreparation }
                return isInitiator ? try Session.Attachment(MappedFile(resolvedPath, key)) : nil
            }
            try self.init(MappedFile(resolvedPath, key), session: session)
        } catch {
            if error.reason == Self.needsPreparation.reason { return nil }
            if error.code == "IncompatibleLockFile" { return nil }
            // Return nil, too, if the lock file cannot be created at this path.
            if createsLockFile, !MappedLockFile.isAccessible(resolvedPath.lock) { return nil }
            throw error.inFile(path)
        }
    }

    private static var needsPreparation: RealmError {
        RealmError(
            .incompatible, code: "IllegalOperation", reason: "needs-preparation",
            "a writer has to prepare the file first")
    }

    /// Whether a session can begin without changing the file.
    private static func isPlain(
        _ resolvedPath: DatabasePath, _ key: DatabaseKey
    ) throws(RealmError) -> Bool {
        let mapped = try MappedFile(resolvedPath, key)
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
