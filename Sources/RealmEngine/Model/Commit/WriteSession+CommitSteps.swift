/// Steps of a commit that access the file, in order (storage format 5). Called by `Commit.run`.
extension WriteSession {
    /// Returns the free space of `version` that no `reachable` version uses.
    func freeSpace(
        of version: VersionState, _ space: NodeSpace, _ reachable: VersionList.Reachable
    ) throws(RealmError) -> FreeSpace {
        guard let top = version.top else { return FreeSpace(logicalSize: version.limit) }
        // In a group, this process reads versions that are not in the version list.
        let older =
            group == nil
            ? FreeSpace.PreviousFreeLists(database.file, reachable, checkedLists) : .none
        if let committed = database.takeSpace(of: top) {
            return FreeSpace(after: committed, oldestReachable: reachable.oldest, older)
        }
        return try FreeSpace(space, top, oldestReachable: reachable.oldest, older)
    }

    /// Writes nodes that no root references yet, growing the file as needed.
    func store(_ runs: [NodeWriter.Run], logicalSize: UInt64) throws(RealmError) {
        // Grows the file under the control mutex, under which other processes read its size when
        // they join.
        try database.session!.file.withControl { () throws(RealmError) in
            try device.grow(to: Int(logicalSize))
            try database.file.extend(to: Int(logicalSize))
            for run in runs where run.bytes.count > 0 {
                try device.write(run.bytes.bytes, at: Int(run.start))
            }
            Failpoint.reach(.storing)
        }
    }

    /// Makes the header select the root at `top` (storage format 5.8).
    func flipHeader(top: Ref) throws(RealmError) {
        let header = try database.file.rawHeader()
        let slot = header.selected ^ 1
        let flags = UInt8(truncatingIfNeeded: header.info >> 56)
        if header.format(slot) != FileFormat.current {
            try write(UInt8(FileFormat.current), at: RawHeader.formatOffset(slot))
        }
        try write(top.raw, at: RawHeader.topOffset(slot))
        if let device = device as? EncryptedDevice {
            // One encrypted page contains both, so they change together.
            try write(flags ^ 1, at: RawHeader.flagsOffset)
            if options.isDurable { try device.syncData() }
        } else {
            try sync()
        }
        Failpoint.reach(.slotWritten)
        do throws(RealmError) {
            if !database.isEncrypted { try write(flags ^ 1, at: RawHeader.flagsOffset) }
            try sync()
            Failpoint.reach(.flipped)
        } catch {
            poisonDatabase(error)
            throw error
        }
    }

    /// Throws, and poisons the database, if the file was replaced or deleted since the transaction
    /// began, because the commit is lost. A file that was moved counts as one moved after the
    /// commit.
    func checkHasName() throws(RealmError) {
        do throws(RealmError) { try database.file.checkHasName() } catch {
            database.poison(error)
            throw error
        }
    }

    /// Publishes a version that the header already selects as the newest one of the session.
    func publish(_ stored: Commit.Stored) throws(RealmError) {
        do throws(RealmError) {
            try database.session!.publish(
                version: stored.version, top: stored.top, logicalSize: stored.logicalSize,
                reachable: stored.reachable)
            try database.refresh()
        } catch {
            // The header selects a version that the session does not list.
            poisonDatabase(error)
            throw error
        }
    }
}
