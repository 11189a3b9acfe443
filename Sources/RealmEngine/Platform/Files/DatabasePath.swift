import Glibc

/// The path of a database: the name a program was given, and its path without symbolic links.
///
/// One file is one session, so lock file, reader table and FIFO are created beside the resolved
/// path, whichever name was given. Resolved once per opening: changing a link afterwards does not
/// affect processes that have the file open.
package struct DatabasePath: Sendable, Hashable {
    /// The path as given, for messages.
    package let name: String
    /// The same path without symbolic links.
    package let path: String
    /// The symbolic links between `name` and `path`. Programs that do not resolve links keep a lock
    /// file beside the link.
    let links: [String]

    /// The number of links that Linux follows.
    private static let maximumSymlinks = 40

    /// Resolves the links in the file system. The file need not exist.
    package init(_ name: String) {
        self.name = name
        var links: [String] = []
        var last = name
        while links.count < Self.maximumSymlinks, let target = Self.target(of: last) {
            let next =
                target.utf8.first == Self.slash ? target : Self.split(last).directory + target
            // Links such as /proc/self/fd/3 lead to an open file whatever their text says.
            guard FileIdentity(path: next) == FileIdentity(path: last) else { break }
            links.append(Self.resolvingDirectories(of: last))
            last = next
        }
        self.links = links
        let resolved = Self.resolvingDirectories(of: last)
        // An absolute path may be inaccessible where the relative one is not.
        let isThere =
            resolved == last || FileIdentity(path: resolved) == FileIdentity(path: last)
        path = isThere ? resolved : last
    }

    var lock: String { path + ".lock" }
    var note: String { path + ".note" }
    var management: String { path + ".management" }

    private static let slash = UInt8(ascii: "/")

    /// Splits at the last slash: the directory with its slash, empty for the current one, and the
    /// name.
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

    /// Whether `path` is now a name of `file`.
    func holds(_ file: FileIdentity) -> Bool { FileIdentity(path: path) == file }
}

// MARK: Foreign lock files and hard links

extension DatabasePath {
    /// The lock file beside a symbolic link to the database, if a process holds it: a second
    /// session, of programs that opened the link and do not resolve it.
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

    /// Lock files of the database's session and of sessions at its symbolic links.
    var locks: [FileIdentity] {
        ([lock] + links.map { $0 + ".lock" }).compactMap { FileIdentity(path: $0) }
    }

    /// Whether all programs that open the file share one session. If not, the file is read without
    /// a session.
    var hasOneSession: Bool { foreignLock == nil && !hasOtherNames }

    /// Throws if the name of a companion file belongs to a file of another kind.
    func checkSideFiles() throws(RealmError) {
        try CompanionFile.check(lock, is: S_IFREG, "lock file")
        try CompanionFile.check(note, is: S_IFIFO, "FIFO for notifications")
        try CompanionFile.check(management, is: S_IFDIR, "management directory")
    }

    /// Throws `busy` while another session has the file open by a link to it.
    func checkLinks() throws(RealmError) {
        guard let foreign = foreignLock else { return }
        let holders = FileHolders.holders(of: foreign.lock)
        let who = holders.isEmpty ? "another program" : holders.joined(separator: ", ")
        throw RealmError(
            .busy, code: "FileBusy", reason: "link-in-use",
            "\(who) has it open by the symbolic link \(foreign.link), with a lock file of its own",
            file: name, hint: "stop it, or let it open \(path)")
    }

    /// Throws `misuse` for a file with several hard links: each of its names would have a session.
    func checkNames() throws(RealmError) {
        let count = names
        guard count > 1 else { return }
        throw RealmError(
            .misuse, code: "IllegalOperation", reason: "hard-links",
            "the file has \(count) names (hard links), and programs that use the others do not "
                + "know of this one's lock file", file: name,
            hint: "remove the other names, or write a copy")
    }

    /// Whether the file has several hard links, not counting one that an interrupted tool left.
    package var hasOtherNames: Bool { names > 1 }

    /// Number of hard links, not counting one that an interrupted tool left; 1 if there is no file.
    private var names: Int {
        guard let status = FileStatus(path: path), status.isRegular, status.names > 1
        else { return 1 }
        return status.names == 2 && hasRemains(status.identity) ? 1 : status.names
    }

    /// Whether `file` has a second name that no program opens: the database's name with a suffix
    /// such as `.bak`, as a compaction's backup has, or the temporary name of an output file that
    /// was just completed.
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
