/// An error of the engine.
///
/// Its kind says whether the bytes are wrong (`corrupt`), a file or another process is the obstacle
/// (such as `input`, `output`, `busy`), or the caller has requested something impossible (`misuse`,
/// `data`). The tools map the kind to an exit code. The value is a single pointer, so a function
/// that can throw costs nothing unless it throws.
public struct RealmError: Error, Sendable {
    /// The kind of an error; the tools have an exit code for each.
    public enum Kind: String, Sendable {
        /// The bytes of the database contradict the file format.
        case corrupt
        /// The file cannot be read, or is not a Realm file at all.
        case input
        /// A file could not be written, synced or renamed.
        case output
        /// The file is encrypted and the key is missing or wrong, or there is a key for an
        /// unencrypted file.
        case key
        /// The operation does not support the file's format, its lock file's layout or its history.
        case incompatible
        /// Other processes hold the file, or it was changed too often while it was read.
        case busy
        /// A wrong option, class, property, query, or use of the API.
        case misuse
        /// A value or an input record was rejected.
        case data
        /// A bug of this library.
        case `internal`
    }

    private final class Details: Sendable {
        let kind: Kind
        let code: String
        let reason: String
        let message: String
        let file: String?
        let hint: String?

        init(
            kind: Kind, code: String, reason: String, message: String, file: String?, hint: String?
        ) {
            self.kind = kind
            self.code = code
            self.reason = reason
            self.message = message
            self.file = file
            self.hint = hint
        }
    }

    private let details: Details

    package init(
        _ kind: Kind, code: String, reason: String, _ message: String, file: String? = nil,
        hint: String? = nil
    ) {
        details = Details(
            kind: kind, code: code, reason: reason, message: message, file: file, hint: hint)
    }

    public var kind: Kind { details.kind }
    /// The name of the error in the reference engine.
    public var code: String { details.code }
    /// Name of the cause in lower case with hyphens, such as `block-damaged`; more specific than
    /// `code`.
    public var reason: String { details.reason }
    /// One sentence, without the name of the file.
    public var message: String { details.message }
    public var file: String? { details.file }
    /// A suggestion what to do next; nil if there is none.
    public var hint: String? { details.hint }

    /// Whether the error means that bytes of the file are damaged, or encrypted blocks cannot be
    /// decrypted.
    package var isDamage: Bool { kind == .corrupt || reason == "block-damaged" }

    /// Returns the same error with the name of the file, unless the error already contains one.
    package func inFile(_ path: String) -> RealmError {
        if file != nil { return self }
        return RealmError(
            kind, code: code, reason: reason, message, file: path, hint: hint)
    }
}

extension RealmError: CustomStringConvertible {
    /// The file and the message, followed by the hint on lines of its own. For programs that only
    /// print errors.
    public var description: String {
        let place = file.map { "\($0): " } ?? ""
        guard let hint else { return place + message }
        // The hint of a query error may point to a position in the line above, so lines stay
        // aligned.
        let lines = hint.split(separator: "\n", omittingEmptySubsequences: false)
        return place + message + "\nhint: " + lines.joined(separator: "\n      ")
    }
}

extension RealmError {
    /// The hint of errors about damage.
    package static let damageHint = "copy the file before anything else"

    /// Makes the error for bytes at `ref` that contradict the format. `what` describes the
    /// contradiction.
    @inline(never)
    static func corrupt(_ what: String, at ref: Ref) -> RealmError {
        RealmError(
            .corrupt, code: "InvalidDatabase", reason: "corrupt",
            "damaged at offset \(ref.raw): \(what)",
            hint: damageHint)
    }

    @inline(never)
    package static func corrupt(_ what: String, in place: String) -> RealmError {
        RealmError(
            .corrupt, code: "InvalidDatabase", reason: "corrupt", "damaged \(place): \(what)",
            hint: damageHint)
    }

    /// Makes the error for a request of the caller that is not permitted or not possible.
    @inline(never)
    package static func misuse(
        _ message: String, code: String = "IllegalOperation", reason: String = "usage",
        hint: String? = nil
    ) -> RealmError {
        RealmError(.misuse, code: code, reason: reason, message, hint: hint)
    }
}
