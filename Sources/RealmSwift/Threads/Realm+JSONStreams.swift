import Foundation
import RealmEngine

/// Adding objects from a stream of JSON lines. An addition to the SDK.
extension Realm {
    /// Adds an object for each line of a stream of JSON, or updates the objects with the same
    /// primary keys. An addition to the SDK.
    ///
    /// ```swift
    /// let added = try await realm.add(jsonLines: body, as: Person.self, update: .modified)
    /// ```
    ///
    /// The stream is stored in transactions of whole lines: as soon as 1 MiB has arrived, all
    /// complete lines are written with `asyncWrite`; the rest is written at the end. During a
    /// transaction, the stream is not read. Records are read as `add(jsonLines:as:update:)` for
    /// `Data` does; a link may reference an object of a later line of the same transaction.
    ///
    /// Traps if the realm is not confined to the calling actor.
    ///
    /// - Parameter pieces: pieces of the text, which may end anywhere: `Data` or `[UInt8]`.
    /// - Parameter update: whether an object with the same primary key is an error, or is updated.
    /// - Parameter ignoringUnknownFields: whether fields that are not properties are ignored
    ///   instead of refused.
    /// - Throws: `RejectedRecord` for the first record that does not fit, the error of the stream,
    ///   `Realm.Error`, and `CancellationError`. Transactions before the error stay committed.
    @discardableResult
    public func add<T: Object, Pieces: AsyncSequence>(
        jsonLines pieces: Pieces, as type: T.Type, update: UpdatePolicy = .error,
        ignoringUnknownFields: Bool = false, _isolation actor: isolated any Actor = #isolation
    ) async throws -> AddedRecords where Pieces.Element: DataProtocol {
        var stream = LineStream(JSONLines(type, update, ignoringUnknownFields))
        var iterator = pieces.makeAsyncIterator()
        while let piece = try await iterator.next(isolation: actor) {
            guard let lines = stream.add(piece) else { continue }
            try await asyncWrite { try stream.write(lines, to: self) }
        }
        let rest = stream.rest
        if !rest.isEmpty { try await asyncWrite { try stream.write(rest, to: self) } }
        return stream.added
    }
}

/// Splits a stream into whole lines and stores them. Contains the bytes that are not stored yet,
/// and the numbers of records stored so far.
private struct LineStream {
    private var rules: JSONLines
    private(set) var rest = Data()
    /// Offset of the last line feed in `rest`; nil if there is none. Only new bytes are searched, so
    /// that a long line costs no more than its bytes.
    private var lineEnd: Int?
    private(set) var added = Realm.AddedRecords()

    /// Number of bytes that must have arrived before their complete lines are stored in a
    /// transaction.
    private static let enough = 1 << 20

    init(_ rules: JSONLines) { self.rules = rules }

    /// Adds bytes of the stream. Returns all complete lines once at least 1 MiB has arrived;
    /// otherwise nil.
    mutating func add(_ piece: some DataProtocol) -> Data? {
        let start = rest.count
        rest.append(contentsOf: piece)
        lineEnd = rest[start...].lastIndex(of: UInt8(ascii: "\n")) ?? lineEnd
        guard rest.count >= Self.enough, let end = lineEnd else { return nil }
        let lines = rest[...end]
        rest = Data(rest[(end + 1)...])
        lineEnd = nil
        return lines
    }

    /// Stores the JSON records in `lines` in the open write transaction of `realm`.
    mutating func write(_ lines: Data, to realm: Realm) throws {
        let part = try rules.add(to: realm.instance, lines)
        rules.lines += lines.count { $0 == UInt8(ascii: "\n") }
        rules.records += part.created + part.updated + part.unchanged
        added.created += part.created
        added.updated += part.updated
        added.unchanged += part.unchanged
    }
}
