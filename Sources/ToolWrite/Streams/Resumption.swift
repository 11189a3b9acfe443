import RealmEngine
import ToolKit

/// Stores the position that the database has reached in a stream of changes (`--resume`), in a file
/// beside the database. Hence each version of the stream is applied exactly once, even if the
/// process is killed. See `AppliedVersion`.
final class Resumption {
    private let path: String
    private let isDurable: Bool
    /// Content of the `.applied` file, which stores the position in the stream; nil if there is no
    /// file.
    private var written: AppliedVersion?
    /// Content to be written to the `.applied` file when the load waits for input, or ends; nil if
    /// the file is up to date.
    private var due: AppliedVersion?
    /// Position in the stream that the database has reached; nil if it cannot be determined.
    private(set) var position: StreamPosition?

    /// - Parameter version: current version of the database.
    init(_ request: WriteRequest, version: UInt64) throws(RealmError) {
        path = request.path
        isDurable = request.isDurable
        // If the database is created now, an existing `.applied` file belongs to a previous
        // database.
        written = try AppliedVersion(beside: path)
        if request.creates { return }
        position = written?.position(at: version)
        if let written, position == nil, written.applied != nil || written.coming != nil {
            Diagnostics(request.command).warn(
                "the applied version is unknown: other programs have written to the database, or "
                    + "it is an older copy; only a stream that starts over, with --since 0, can be "
                    + "applied")
        }
    }

    /// Writes to the `.applied` file that the commit of `version` will reach the stream position
    /// `next`. Must be called before the commit.
    func announce(_ next: StreamPosition, version: UInt64) throws(RealmError) {
        guard try AppliedVersion(beside: path) == written else {
            throw RealmError(
                .busy, code: "Busy", reason: "other-stream",
                "another program applies changes to the database", file: path)
        }
        let state = AppliedVersion(position, target: version - 1, coming: next)
        try state.write(beside: path, isDurable: isDurable)
        (written, due) = (state, nil)
    }

    /// Stores that the commit of `version` has succeeded: the database has now reached `position`
    /// in the stream.
    func confirm(_ position: StreamPosition, version: UInt64) {
        self.position = position
        due = AppliedVersion(position, target: version)
    }

    /// Writes the position after the last confirmed commit to the `.applied` file. Before that, the
    /// file contains the position that `announce` wrote: it is reached if the database has the
    /// announced version.
    func settle() throws(RealmError) {
        guard let due else { return }
        try due.write(beside: path, isDurable: isDurable)
        (written, self.due) = (due, nil)
    }
}
