/// Everything the engine can report instead of doing what it was asked.
///
/// Three families: the bytes are wrong (`corrupt`), the operating system refused (`system`), the
/// caller asked for something that cannot be done (`misuse` and its finer kinds). A tool maps the
/// kind one to one onto its exit code. The value is one pointer wide, so a throwing function pays
/// nothing on its happy path.
public struct RealmError: Error, Sendable {
    /// What went wrong, as coarse as an exit code.
    public enum Kind: String, Sendable {
        /// The database's bytes contradict the format.
        case corrupt
        /// The file cannot be read, or is not a Realm file at all.
        case input
        /// Output could not be written, synced or renamed.
        case output
        /// Encrypted and no key, wrong key, or a key for a plain file.
        case key
        /// A format, lock layout or history this operation cannot work with.
        case incompatible
        /// Others hold the file, or it changed too often while being read.
        case busy
        /// A bad option, class, property or query.
        case misuse
        /// An input record was rejected.
        case data
        /// A bug of ours.
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
    /// The reference library's name for the error, so that existing knowledge applies.
    public var code: String { details.code }
    /// A finer reason of ours, in lower case with hyphens.
    public var reason: String { details.reason }
    /// One sentence without the file's name.
    public var message: String { details.message }
    public var file: String? { details.file }
    /// The next step, when there is one.
    public var hint: String? { details.hint }

    /// The bytes are wrong: not of a database, or not what was encrypted.
    package var isDamage: Bool { kind == .corrupt || reason == "block-damaged" }

    /// The same error, naming the file it is about unless it names one already.
    package func inFile(_ path: String) -> RealmError {
        if file != nil { return self }
        return RealmError(
            kind, code: code, reason: reason, message, file: path, hint: hint)
    }
}

extension RealmError: CustomStringConvertible {
    /// The file, the message and, on lines of its own, the next step: what a program prints that has
    /// nothing else to do with the error.
    public var description: String {
        let place = file.map { "\($0): " } ?? ""
        guard let hint else { return place + message }
        // A query's hint marks a place in the line before it, so lines stay aligned.
        let lines = hint.split(separator: "\n", omittingEmptySubsequences: false)
        return place + message + "\nhint: " + lines.joined(separator: "\n      ")
    }
}

extension RealmError {
    /// The next step after damage was met.
    package static let damageHint = "copy the file before anything else"

    /// Bytes that contradict the format: the place is a ref or a structure, the reason what is wrong.
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

    /// A request that cannot be carried out as stated.
    @inline(never)
    package static func misuse(
        _ message: String, code: String = "IllegalOperation", reason: String = "usage",
        hint: String? = nil
    ) -> RealmError {
        RealmError(.misuse, code: code, reason: reason, message, hint: hint)
    }
}
