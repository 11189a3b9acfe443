/// Steps of a commit that touch the file, in their order (storage format 5). `Commit.run` calls them.
extension WriteSession {
    /// The free space of `version`, as far as no version that is `reachable` uses it.
    func freeSpace(
        of version: VersionState, _ space: NodeSpace, _ reachable: VersionList.Reachable
    ) throws(RealmError) -> FreeSpace {
        guard let top = version.top else { return FreeSpace(logicalSize: version.limit) }
        // The versions of a group are readable in this process without being listed.
        let older =
            group == nil
            ? FreeSpace.PreviousFreeLists(database.file, reachable, checkedLists) : .none
        if let committed = database.takeSpace(of: top) {
            return FreeSpace(after: committed, oldestReachable: reachable.oldest, older)
        }
        return try FreeSpace(space, top, oldestReachable: reachable.oldest, older)
    }

    /// Writes nodes that nothing refers to yet, growing the file as needed.
    func store(_ runs: [NodeWriter.Run], logicalSize: UInt64) throws(RealmError) {
        // Joiners size the file under the control mutex, so growing it happens under it too.
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
            // One page of the file holds both: they change together.
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
            poisonForAll(error)
            throw error
        }
    }

    /// Throws, for good, when what was written is in a file that lost its name since the turn was
    /// taken. One that was moved meanwhile is as one moved right after the commit.
    func checkHasName() throws(RealmError) {
        do throws(RealmError) { try database.file.checkHasName() } catch {
            database.poison(error)
            throw error
        }
    }

    /// Makes a version that the header selects the newest for everybody.
    func publish(_ stored: Commit.Stored) throws(RealmError) {
        do throws(RealmError) {
            try database.session!.publish(
                version: stored.version, top: stored.top, logicalSize: stored.logicalSize,
                reachable: stored.reachable)
            try database.refresh()
        } catch {
            // The header selects what the session does not know of.
            poisonForAll(error)
            throw error
        }
    }
}
