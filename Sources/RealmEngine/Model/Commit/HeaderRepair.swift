/// Makes the header select the newest published version again. This is necessary if a writer died
/// after it changed the header and before it published its version, and other writers then
/// continued from the version before (storage format 5.11).
///
/// The caller holds the write mutex and has refreshed its database to the newest published version.
struct HeaderRepair {
    private let writer: WriteSession
    private let session: Session
    private var file: MappedFile { writer.database.file }

    init(_ writer: WriteSession, _ session: Session) {
        (self.writer, self.session) = (writer, session)
    }

    /// Whether the header selects the version that `database` was refreshed to.
    static func isNewest(_ database: Database) throws(RealmError) -> Bool {
        let header = try database.file.rawHeader()
        return header.top(header.selected) == database.newest.top?.ref.raw ?? 0
    }

    /// State of a header slot, compared with the newest published version.
    private enum Slot {
        /// The slot selects the newest published version.
        case newest
        /// A version that is older than the newest one, or has an entry in the version list of the
        /// lock file.
        case published
        /// A version that was never published, and is newer than the newest published version.
        /// `distance` is the number of this version less the number of the newest published
        /// version.
        case unpublished(distance: UInt64)
        /// A root that cannot be read, because writers that continued from the newest version have
        /// overwritten it.
        case unreadable
        /// A header slot with the ref 0: there is no root.
        case empty
    }

    /// Repairs the header if it selects a version that was never published. Does not change a
    /// header that selects an older version than the version list, which happens after asynchronous
    /// commits of the SDKs (storage format 5.13).
    @_optimize(size)
    func run() throws(RealmError) {
        let pin = try session.pinNewest()
        defer { session.release(pin) }
        let header = try file.rawHeader()
        guard header.top0 != FileHeader.streamingMark else { return }
        // Other participants may have extended the file since this process mapped it.
        let size = try file.extendToEnd()
        let active = try slot(header, header.selected, pin, size)
        let other = try slot(header, header.selected ^ 1, pin, size)
        switch (active, other) {
        case (.unpublished, .newest), (.unreadable, .newest):
            guard try isWhole(pin) else { return }
            try writer.write(
                UInt8(truncatingIfNeeded: header.info >> 56) ^ 1, at: RawHeader.flagsOffset)
            try writer.sync()
        case (.unpublished(1), .unpublished(1)), (.unpublished(1), .unreadable),
            (.unreadable, .unpublished(1)), (.unreadable, .unreadable):
            // One writer died before it published its version. A second writer also continued from
            // the newest version, overwrote the header slot of the newest version, and died. So no
            // slot has the root of the newest version.
            guard !pin.top.isNone, try isWhole(pin) else { return }
            try writer.flipHeader(top: pin.top)
        default: return
        }
    }

    private func slot(
        _ header: RawHeader, _ index: Int, _ pin: VersionList.Pin, _ size: Int
    ) throws(RealmError) -> Slot {
        let top = header.top(index)
        if top == pin.top.raw { return .newest }
        if top == 0 { return .empty }
        if try session.lists(root: Ref(top)) { return .published }
        do throws(RealmError) {
            let state = try VersionState.read(
                file.mapping, size: size, format: FileFormat.current, top: Ref(top))
            guard state.version > pin.version, try !session.lists(state.version) else {
                return .published
            }
            return .unpublished(distance: state.version - pin.version)
        } catch {
            guard error.isDamage || error.kind == .incompatible else { throw error }
            return .unreadable
        }
    }

    /// Whether the newest published version can be read.
    private func isWhole(_ pin: VersionList.Pin) throws(RealmError) -> Bool {
        do throws(RealmError) { _ = try Database.state(file, pin) } catch {
            if error.isDamage || error.code == "IncompatibleLockFile" { return false }
            throw error
        }
        return true
    }
}
