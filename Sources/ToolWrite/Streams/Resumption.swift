import RealmEngine
import ToolKit

/// Keeps beside the database how far a stream has been applied to it (`--resume`), so that each version
/// takes effect once, whenever this process is killed (`AppliedVersion`).
final class Resumption {
    private let path: String
    private let isDurable: Bool
    /// As the file has it; nil when there is none.
    private var written: AppliedVersion?
    /// As the file should have it, as soon as there is time.
    private var due: AppliedVersion?
    /// How far it has come; nil where nobody can say.
    private(set) var position: StreamPosition?

    /// - Parameter version: of the database.
    init(_ request: WriteRequest, version: UInt64) throws(RealmError) {
        path = request.path
        isDurable = request.isDurable
        // What stands beside a file that is made anew is about another one.
        written = try AppliedVersion(beside: path)
        if request.creates { return }
        position = written?.position(at: version)
        if let written, position == nil, written.applied != nil || written.coming != nil {
            Diagnostics(request.command).warn(
                "what has been applied is not known any more: others have written to the database, or "
                    + "it is an older one; only a stream that begins anew, with --since 0, goes on")
        }
    }

    /// A commit that makes `version` is about to bring the database to `next`.
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

    /// The database is at `version`, and has come to `position`.
    func confirm(_ position: StreamPosition, version: UInt64) {
        self.position = position
        due = AppliedVersion(position, target: version)
    }

    /// Writes what is true by now; until then the version of the database tells.
    func settle() throws(RealmError) {
        guard let due else { return }
        try due.write(beside: path, isDurable: isDurable)
        (written, self.due) = (due, nil)
    }
}
