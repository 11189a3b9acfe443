/// An error of the engine.
///
/// There are three families: the bytes are wrong (`corrupt`), the operating system refused
/// (`system`), the caller requested something impossible (`misuse` and its finer kinds). A tool
/// maps the kind to its exit code. The value is a single pointer, so a throwing function costs
/// nothing unless it throws.
public struct RealmError: Error, Sendable {
    /// The kind of an error, as coarse as an exit code.
    public enum Kind: String, Sendable {
        /// The database's bytes contradict the format.
        case corrupt
        /// The file cannot be read, or is not a Realm file at all.
        case input
        /// Output could not be written, synced or renamed.
        case output
        /// The file is encrypted and the key is missing or wrong, or there is a key for an
        /// unencrypted file.
        case key
        /// The operation does not support the file's format, lock layout or history.
        case incompatible
        /// Other processes hold the file, or it changed too often while being read.
        case busy
        /// A bad option, class, property or query.
        case misuse
        /// An input record was rejected.
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
    /// The reference library's name for the error.
    public var code: String { details.code }
    /// A finer reason of this library, in lower case with hyphens.
    public var reason: String { details.reason }
    /// One sentence without the file's name.
    public var message: String { details.message }
    public var file: String? { details.file }
    /// A suggestion for what to do next; nil for none.
    public var hint: String? { details.hint }

    /// Whether the bytes are damaged, in the database or in its encryption.
    package var isDamage: Bool { kind == .corrupt || reason == "block-damaged" }

    /// Returns the same error with the file's name, unless it already has one.
    package func inFile(_ path: String) -> RealmError {
        if file != nil { return self }
        return RealmError(
            kind, code: code, reason: reason, message, file: path, hint: hint)
    }
}

extension RealmError: CustomStringConvertible {
    /// The file and the message, followed by the hint on its own lines: for programs that only
    /// print the error.
    public var description: String {
        let place = file.map { "\($0): " } ?? ""
        guard let hint else { return place + message }
        // A query's hint may point at a position in the line before, so lines stay aligned.
        let lines = hint.split(separator: "\n", omittingEmptySubsequences: false)
        return place + message + "\nhint: " + lines.joined(separator: "\n      ")
    }
}

extension RealmError {
    /// The hint of errors about damage.
    package static let damageHint = "copy the file before anything else"

    /// Returns the error for bytes that contradict the format at `ref`; `what` describes the
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

    /// Returns the error for a request that is impossible as stated.
    @inline(never)
    package static func misuse(
        _ message: String, code: String = "IllegalOperation", reason: String = "usage",
        hint: String? = nil
    ) -> RealmError {
        RealmError(.misuse, code: code, reason: reason, message, hint: hint)
    }
}
