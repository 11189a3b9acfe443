import Glibc
import RealmEngine

/// The `.applied` file beside a replica: a database to which the changes of another database are
/// applied. It contains the position in the stream of changes up to which they have been applied
/// (realm-write(1), STREAMS).
///
/// The file is written before each commit, with the position after that commit, and again after the
/// commit. If the process is killed in between, the version of the database shows whether the
/// commit happened.
package struct AppliedVersion: Equatable {
    /// Position in the stream of changes that the replica had reached at its own version `target`.
    /// Nil if no change had been applied yet; the file then contains 0.
    package let applied: StreamPosition?
    package let target: UInt64
    /// Position in the stream that the replica reaches with the commit in progress; nil if no
    /// commit is in progress.
    package let coming: StreamPosition?

    /// - Parameter applied: position in the stream that the replica had reached; a position with
    ///   version 0 is stored as nil.
    package init(_ applied: StreamPosition?, target: UInt64, coming: StreamPosition? = nil) {
        self.applied = applied?.version == 0 ? nil : applied
        self.target = target
        self.coming = coming
    }

    package static func path(of database: String) -> String {
        OutputFile.Destination.resolve(database) + ".applied"
    }

    /// Returns the position in the stream that the replica has reached at its own version
    /// `version`. Nil if the position cannot be determined: the replica is older than `target`, or
    /// another process has committed to it since.
    package func position(at version: UInt64) -> StreamPosition? {
        guard version >= target else { return nil }
        guard let coming else { return applied }
        if version == target { return applied }
        return version == target + 1 ? coming : nil
    }

    // MARK: The file

    /// Reads the position of a replica from its `.applied` file, such as `app.realm.applied`.
    /// Returns nil if there is no file. Throws `input` if the file is malformed.
    package init?(beside database: String) throws(RealmError) {
        let path = Self.path(of: database)
        guard let text = try Self.read(path) else { return nil }
        let words = text.split(separator: "\n").first?.split(separator: " ") ?? []
        guard (2...3).contains(words.count), let applied = StreamPosition(text: words[0]),
            let target = ValueForms.count(words[1]).map({ UInt64($0) })
        else { throw Self.unreadable(path) }
        var coming: StreamPosition?
        if words.count == 3 {
            coming = StreamPosition(text: words[2])
            if coming == nil { throw Self.unreadable(path) }
        }
        self.init(applied, target: target, coming: coming)
    }

    /// Content of the `.applied` file: `applied`, `target`, and `coming` unless it is nil. Example:
    /// `18237@4f2a90c1e7b3d5f6 512`.
    private var text: String {
        let words = [applied?.text ?? "0", "\(target)"] + (coming.map { [$0.text] } ?? [])
        return words.joined(separator: " ") + "\n"
    }

    private static func unreadable(_ path: String) -> RealmError {
        RealmError(
            .input, code: "FileOperationFailed", reason: "applied-version",
            "the content is not an applied version", file: path,
            hint: "remove it and start over with --since 0")
    }

    private static func read(_ path: String) throws(RealmError) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw systemFailure(.input, "cannot open", errno: errno, file: path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else {
            throw systemFailure(.input, "cannot read", errno: errno, file: path)
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Replaces the `.applied` file beside `database` atomically.
    ///
    /// - Parameter isDurable: whether the file is synced, so that it survives a power failure.
    package func write(beside database: String, isDurable: Bool) throws(RealmError) {
        let file = try OutputFile(path: Self.path(of: database), force: true)
        var bytes = ByteBuffer()
        bytes.append(text)
        try file.flush(&bytes)
        try file.commit(isDurable: isDurable)
    }
}
