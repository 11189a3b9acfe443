/// The steps of a commit that access the file, in order (storage format 5). `Commit` calls them.
extension WriteSession {
    /// Returns the space that neither `version` nor any older `reachable` version uses.
    func freeSpace(
        of version: VersionState, _ space: NodeSpace, _ reachable: VersionList.Reachable
    ) throws(RealmError) -> FreeSpace {
        guard let top = version.top else { return FreeSpace(logicalSize: version.limit) }
        // In a group, snapshots of this process may read versions that are not in the version list.
        // So no stamp is lowered.
        let older =
            group == nil
            ? FreeSpace.PreviousFreeLists(database.file, reachable, checkedLists) : .none
        if let committed = database.takeSpace(of: top) {
            return FreeSpace(after: committed, oldestReachable: reachable.oldest, older)
        }
        return try FreeSpace(space, top, oldestReachable: reachable.oldest, older)
    }

    /// Writes `runs`, the ranges of the file that the new nodes fill. No root references these
    /// nodes yet. Extends the file to `logicalSize` first.
    func store(_ runs: [NodeWriter.Run], logicalSize: UInt64) throws(RealmError) {
        // Other processes read the size of the file when they join, under the control mutex. So the
        // mutex is held while the file grows.
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
            // One encrypted page contains both the slot and the select bit, so both change in one
            // write.
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

    /// Throws if the file was replaced or deleted since the transaction began: the commit went to a
    /// file that no longer has this path. The database then writes nothing more
    /// (`Database.poison`). Accepts a file that was merely moved, as if it had been moved after the
    /// commit.
    func checkHasName() throws(RealmError) {
        do throws(RealmError) { try database.file.checkHasName() } catch {
            database.poison(error)
            throw error
        }
    }

    /// Publishes a version, which the header already selects, as the newest one of the session.
    func publish(_ stored: Commit.Stored) throws(RealmError) {
        do throws(RealmError) {
            try database.session!.publish(
                version: stored.version, top: stored.top, logicalSize: stored.logicalSize,
                reachable: stored.reachable)
            try database.refresh()
        } catch {
            // The header now selects a version that the session's version list does not contain.
            poisonDatabase(error)
            throw error
        }
    }
}
