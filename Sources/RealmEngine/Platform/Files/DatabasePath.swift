import Glibc

/// The path of a database: the name that a program was given, and the path without symbolic links.
///
/// All programs that open a file must share one session. Therefore the lock file, reader table and
/// FIFO are beside the resolved path, whichever name was given. The path is resolved once per
/// opening: changing a link later does not affect processes that have the file open.
package struct DatabasePath: Sendable, Hashable {
    /// The path as given, for messages.
    package let name: String
    /// The path `name` with all symbolic links resolved.
    package let path: String
    /// The symbolic links that lead from `name` to `path`. Programs that do not resolve links
    /// create a lock file beside the link.
    let links: [String]

    /// Maximum number of links that Linux follows.
    private static let maximumSymlinks = 40

    /// Resolves the symbolic links of `name`. The file need not exist.
    package init(_ name: String) {
        self.name = name
        var links: [String] = []
        var last = name
        while links.count < Self.maximumSymlinks, let target = Self.target(of: last) {
            let next =
                target.utf8.first == Self.slash ? target : Self.split(last).directory + target
            // A link such as /proc/self/fd/3 leads to an open file; its text need not be a path of
            // that file.
            guard FileIdentity(path: next) == FileIdentity(path: last) else { break }
            links.append(Self.resolvingDirectories(of: last))
            last = next
        }
        self.links = links
        let resolved = Self.resolvingDirectories(of: last)
        // A relative path may be accessible where the absolute path of the same file is not.
        let isThere =
            resolved == last || FileIdentity(path: resolved) == FileIdentity(path: last)
        path = isThere ? resolved : last
    }

    var lock: String { path + ".lock" }
    var note: String { path + ".note" }
    var management: String { path + ".management" }

    private static let slash = UInt8(ascii: "/")

    /// Splits a path after its last slash. The directory includes the slash; it is empty if there
    /// is none.
    private static func split(_ path: String) -> (directory: String, name: String) {
        var path = path
        return path.withUTF8 { bytes in
            let start = bytes.lastIndex(of: slash).map { $0 + 1 } ?? 0
            return (
                String(decoding: bytes[..<start], as: UTF8.self),
                String(decoding: bytes[start...], as: UTF8.self)
            )
        }
    }

    private static func resolvingDirectories(of path: String) -> String {
        let (directory, name) = split(path)
        guard let resolved = realpath(directory.isEmpty ? "." : directory, nil) else { return path }
        defer { free(resolved) }
        let real = String(cString: resolved)
        return real.utf8.last == slash ? real + name : real + "/" + name
    }

    /// Returns the target of the symbolic link at `path`; nil if `path` is no symbolic link.
    private static func target(of path: String) -> String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { bytes in
            let target = bytes.bindMemory(to: CChar.self).baseAddress!
            let count = readlink(path, target, bytes.count - 1)
            guard count > 0 else { return nil }
            target[count] = 0
            return String(cString: target)
        }
    }

    /// Whether the file at `path` is `file` at present.
    func holds(_ file: FileIdentity) -> Bool { FileIdentity(path: path) == file }
}

// MARK: Foreign lock files and hard links

extension DatabasePath {
    /// The lock file beside a symbolic link to the database, if a process holds that lock file.
    /// Programs that opened the link without resolving it use that file instead of the database's
    /// own lock file.
    private var foreignLock: (link: String, lock: FileIdentity)? {
        for link in links {
            let beside = link + ".lock"
            guard let other = FileIdentity(path: beside), other != FileIdentity(path: lock),
                MappedLockFile.isLocked(other, at: beside)
            else { continue }
            return (link, other)
        }
        return nil
    }

    /// Identities of the existing lock files: the database's own lock file, and lock files beside
    /// symbolic links to the database. Programs that do not resolve the link use the latter.
    var locks: [FileIdentity] {
        ([lock] + links.map { $0 + ".lock" }).compactMap { FileIdentity(path: $0) }
    }

    /// Whether all programs that open the file share one session. If false, the file may only be
    /// read without joining a session.
    var hasOneSession: Bool { foreignLock == nil && !hasOtherNames }

    /// Throws if there is a file of another kind at the path of a companion file.
    func checkSideFiles() throws(RealmError) {
        try CompanionFile.check(lock, is: S_IFREG, "lock file")
        try CompanionFile.check(note, is: S_IFIFO, "FIFO for notifications")
        try CompanionFile.check(management, is: S_IFDIR, "management directory")
    }

    /// Throws `busy` if another session has the file open through a symbolic link.
    func checkLinks() throws(RealmError) {
        guard let foreign = foreignLock else { return }
        let holders = FileHolders.holders(of: foreign.lock)
        let who = holders.isEmpty ? "another program" : holders.joined(separator: ", ")
        throw RealmError(
            .busy, code: "FileBusy", reason: "link-in-use",
            "\(who) has it open by the symbolic link \(foreign.link), with a lock file of its own",
            file: name, hint: "stop it, or let it open \(path)")
    }

    /// Throws `misuse` for a file with several hard links. Programs that open different hard links
    /// would use different lock files, and could overwrite each other's changes.
    func checkNames() throws(RealmError) {
        let count = names
        guard count > 1 else { return }
        throw RealmError(
            .misuse, code: "IllegalOperation", reason: "hard-links",
            "the file has \(count) names (hard links), and programs that use the others do not "
                + "know of this one's lock file", file: name,
            hint: "remove the other names, or write a copy")
    }

    /// Whether the file has several hard links. Does not count a second name that a tool gave to
    /// the file before it was interrupted: a backup's name or a temporary name.
    package var hasOtherNames: Bool { names > 1 }

    /// Number of hard links of the file, or 1 if there is no file. Does not count a second name
    /// that a tool gave to the file before it was interrupted: a backup's name or a temporary name.
    private var names: Int {
        guard let status = FileStatus(path: path), status.isRegular, status.names > 1
        else { return 1 }
        return status.names == 2 && hasRemains(status.identity) ? 1 : status.names
    }

    /// Whether `file` has a second name that no program opens. Such a name is either the database's
    /// name with a suffix such as `.bak`, which compaction gives to its backup, or the temporary
    /// name of an output file that has just been completed.
    private func hasRemains(_ file: FileIdentity) -> Bool {
        let (directory, own) = Self.split(path)
        return FileHolders.entries(directory.isEmpty ? "." : directory).contains { other in
            guard Self.isBackup(other, of: own) || Self.isPassing(other) else { return false }
            return FileIdentity(path: directory + other) == file
        }
    }

    private static func isBackup(_ name: String, of own: String) -> Bool {
        guard name.hasPrefix(own), let next = name.dropFirst(own.count).first else { return false }
        return !next.isLetter && !next.isNumber && !name.hasSuffix(".realm")
    }

    private static func isPassing(_ name: String) -> Bool {
        name.hasPrefix(".realm-tools-") && name.hasSuffix(".tmp")
    }
}
