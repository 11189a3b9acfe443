/// A pin that one user in this process, such as a snapshot, has on a version. Valid until
/// `Database.unpin`.
struct VersionPin: Sendable {
    /// State of the version, which `VersionPins` retains as long as this process has pinned the
    /// version.
    let retainedState: Unmanaged<VersionState>
    var state: VersionState { retainedState.takeUnretainedValue() }
    let version: UInt64
    let kind: PinKind
    /// Row of this pin in the reader table of the lock file; nil if the table has no room for it or
    /// does not exist.
    fileprivate(set) var row: Int32?
}

/// The versions that a `Database` keeps readable. The lock file contains one pin for each version
/// and kind; this type counts the pins of this process that share it.
///
/// Guarded by the mutex of the `Database`. Without a session, nothing is pinned in the lock file.
struct VersionPins {
    private let session: Session?
    /// Reader table of the session.
    private let readers: Unmanaged<ReaderTable>?
    private var entries: [Entry] = []
    /// Empty rows of the reader table that this process has claimed, for its next pins.
    private var idleRows: [Int32] = []

    private struct Entry {
        let state: VersionState
        let version: UInt64
        var live = Hold()
        var frozen = Hold()

        init(_ state: VersionState) {
            self.state = state
            version = state.version
        }

        /// Adds `change` to the number of pins of `kind` in this process and returns the new
        /// number.
        @discardableResult
        mutating func add(_ change: Int, _ kind: PinKind) -> Int {
            if kind == .frozen {
                frozen.count += change
                return frozen.count
            }
            live.count += change
            return live.count
        }

        var isUnused: Bool { live.count == 0 && frozen.count == 0 }

        subscript(kind: PinKind) -> Hold {
            get { kind == .frozen ? frozen : live }
            set { if kind == .frozen { frozen = newValue } else { live = newValue } }
        }
    }

    private struct Hold {
        var count = 0
        var pin: VersionList.Pin?
    }

    init(_ session: Session?) {
        self.session = session
        readers = session?.readers.map(Unmanaged.passUnretained)
    }

    var versions: [UInt64] { entries.map(\.version).sorted() }

    private func index(_ version: UInt64) -> Int? {
        entries.withUnsafeBufferPointer { entries in
            entries.indices.last { entries[$0].version == version }
        }
    }

    /// Takes ownership of `pin`, the first pin of its kind for the version of `state`, and counts
    /// one use of it. If `pin` is nil because there is no session, counts a use of kind `live`.
    mutating func adopt(
        _ state: VersionState, _ pin: VersionList.Pin?, _ label: ReaderLabel
    ) -> VersionPin {
        let i = index(state.version) ?? entries.count
        if i == entries.count { entries.append(Entry(state)) }
        let kind = pin?.kind ?? .live
        entries[i][kind] = Hold(count: 0, pin: pin)
        return count(i, kind, label)
    }

    func isHeldLive(_ version: UInt64) -> Bool {
        entries.contains { $0.version == version && $0.live.count > 0 }
    }

    /// Returns another pin of this process on the version of `pin`, of the same kind. Uses the
    /// version's pin in the lock file again. Returns nil if this process has no pin of this kind on
    /// the version.
    mutating func addHolder(_ pin: VersionPin, _ label: ReaderLabel) -> VersionPin? {
        guard let i = index(pin.version), entries[i][pin.kind].count > 0 else { return nil }
        return count(i, pin.kind, label)
    }

    /// Returns another pin of this process, of kind `kind`, on a version that this process has
    /// already pinned. Throws `misuse` if the process has no pin on the version.
    mutating func addHolder(
        _ version: UInt64, _ kind: PinKind, _ label: ReaderLabel
    ) throws(RealmError) -> VersionPin {
        guard let i = index(version) else {
            throw .misuse("version \(version) is not held", code: "BadVersion", reason: "not-held")
        }
        if entries[i][kind].count == 0, let session {
            let other = entries[i][kind == .frozen ? .live : .frozen].pin
            entries[i][kind].pin = try other.map { (other) throws(RealmError) in
                try session.pin(again: other, kind)
            }
        }
        return count(i, kind, label)
    }

    private mutating func count(_ i: Int, _ kind: PinKind, _ label: ReaderLabel) -> VersionPin {
        entries[i].add(1, kind)
        let (version, idle) = (entries[i].version, idleRows.popLast())
        let row = readers?._withUnsafeGuaranteedRef {
            $0.take(.init(kind), version: version, label: label, row: idle)
        }
        return VersionPin(
            retainedState: .passUnretained(entries[i].state), version: version, kind: kind, row: row
        )
    }

    /// Releases one pin of this process. The version's pin in the lock file is released with the
    /// last of them.
    mutating func removeHolder(_ pin: VersionPin) {
        if let row = pin.row, let readers {
            readers._withUnsafeGuaranteedRef { $0.clear(row) }
            idleRows.append(row)
        }
        guard let i = index(pin.version) else { return }
        guard entries[i].add(-1, pin.kind) == 0 else { return }
        if let listed = entries[i][pin.kind].pin { session?.release(listed) }
        entries[i][pin.kind].pin = nil
        if entries[i].isUnused { entries.remove(at: i) }
    }

    /// Removes all entries, releases the pins of their versions, and frees the idle rows of the
    /// reader table.
    @_optimize(size)
    mutating func unpinAll() {
        for entry in entries {
            for pin in [entry.live.pin, entry.frozen.pin] { pin.map { session?.release($0) } }
        }
        entries = []
        for row in idleRows { readers?._withUnsafeGuaranteedRef { $0.give(row) } }
        idleRows = []
    }
}
