import Foundation
import RealmEngine
import RealmRecords

/// Adding objects from JSON lines at the speed of `realm-write`. An addition to the SDK.
extension Realm {
    /// Numbers of objects that adding JSON lines has created and changed.
    public struct AddedRecords: Sendable, Hashable {
        /// Number of records that created an object.
        public internal(set) var created = 0
        /// Number of records that changed an object.
        public internal(set) var updated = 0
        /// Number of records whose object already had the values.
        public internal(set) var unchanged = 0
    }

    /// A JSON record that cannot become an object.
    public struct RejectedRecord: Swift.Error, Sendable, Hashable, CustomStringConvertible {
        /// Number of the record in the input, from 1.
        public let record: Int
        /// Line of the error, from 1.
        public let line: Int
        /// Column of the error in its line, from 1, in Unicode scalars.
        public let column: Int
        /// Path of the property in the record, such as `tags[3].name`; nil if the error is not in a
        /// value of a property.
        public let property: String?
        /// Reason with the expected and the actual value, such as `expected int, got null`.
        public let reason: String

        /// Message with the position and the reason.
        public var description: String {
            let subject = property.map { "\($0): " } ?? ""
            return "record \(record), line \(line), column \(column): \(subject)\(reason)"
        }
    }

    /// Adds an object for each line of JSON, or updates the objects with the same primary keys. An
    /// addition to the SDK.
    ///
    /// ```swift
    /// let lines = Data(#"{"id":1,"name":"Ann","dogs":[7,8]}"#.utf8)
    /// try realm.write {
    ///     try realm.add(jsonLines: lines, as: Person.self, update: .modified)
    /// }
    /// ```
    ///
    /// The objects are not made one by one: records become rows of the class in batches, and a
    /// batch of new objects is stored at once. A field has the name of its property. Values have
    /// the forms that `realm-write` reads (realm-tools(7), VALUES): dates are RFC 3339 text or
    /// `{"$date":…}`, data is base64, links are primary keys or objects. A link may reference an
    /// object of a later line. On an update, properties without a field keep their values, and a
    /// collection or an embedded object of the record replaces the stored one; `.all` is the same
    /// as `.modified`. New objects get the default values of the class, objects inside a record do
    /// not. Values of enums are stored unchecked.
    ///
    /// Traps outside of a write transaction, if the class is not in the realm, and if `update` is
    /// not `.error` for a class without a primary key.
    ///
    /// - Parameter data: one JSON object per line in UTF-8; empty lines are ignored.
    /// - Parameter update: whether an object with the same primary key is an error, or is updated.
    /// - Parameter ignoringUnknownFields: whether fields that are not properties are ignored
    ///   instead of refused.
    /// - Throws: `RejectedRecord` for the first record that does not fit, and `Realm.Error`.
    ///   Records before it may have been added, so the error should leave the block of `write`.
    @discardableResult
    public func add<T: Object>(
        jsonLines data: Data, as type: T.Type, update: UpdatePolicy = .error,
        ignoringUnknownFields: Bool = false
    ) throws -> AddedRecords {
        let lines = JSONLines(type, update, ignoringUnknownFields)
        return try lines.add(to: instance, data)
    }

    /// Adds an object for each line of a JSON file, or updates the objects with the same primary
    /// keys. An addition to the SDK.
    ///
    /// The file is read in parts while its objects are stored; see the form of this function for
    /// `Data`.
    ///
    /// - Throws: `RejectedRecord` for the first record that does not fit, an error of Foundation if
    ///   the file cannot be opened, and `Realm.Error`.
    @discardableResult
    public func add<T: Object>(
        jsonLinesOf file: URL, as type: T.Type, update: UpdatePolicy = .error,
        ignoringUnknownFields: Bool = false
    ) throws -> AddedRecords {
        let lines = JSONLines(type, update, ignoringUnknownFields)
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let source = ByteSource(descriptor: handle.fileDescriptor, path: file.path)
        return try lines.add(to: instance, source)
    }
}

/// Rules for adding JSON lines as objects of one class.
struct JSONLines {
    private let type: Object.Type
    private let policy: Realm.UpdatePolicy
    private let ignoresUnknown: Bool
    /// Number of records, and of lines, that precede the input of `add` in a stream; 0 if the input
    /// is not part of a stream. Added to the positions in errors.
    var records = 0
    var lines = 0

    init(_ type: Object.Type, _ policy: Realm.UpdatePolicy, _ ignoresUnknown: Bool) {
        (self.type, self.policy, self.ignoresUnknown) = (type, policy, ignoresUnknown)
    }

    func add(to realm: RealmInstance, _ data: Data) throws -> Realm.AddedRecords {
        try data.withUnsafeBytes { try add(to: realm, ByteSource(Piece($0))) }
    }

    func add(to realm: RealmInstance, _ source: ByteSource) throws -> Realm.AddedRecords {
        let write = realm.engine.write
        let managed = realm.requireClass(type)
        if policy != .error, managed.model.primaryKey == nil {
            throwRealmException(
                "'\(managed.model.name)' does not have a primary key and can not be updated")
        }
        let loader: RecordLoader
        let defaults: RecordDefaults
        do throws(RealmError) {
            let schema = realm.engine.schema
            guard let table = schema.table(managed.objects.key) else { return Realm.AddedRecords() }
            defaults = try RecordDefaults(managed.model, table)
            loader = try RecordLoader(
                write, table, schema, rules(realm),
                complete: defaults.isFixed ? nil : { defaults.complete($0) })
            for (column, value) in defaults.fixed { loader.setDefault(column, value) }
        } catch { throw Realm.Error(error) }
        // The loader uses bytes of the fixed defaults.
        return try withExtendedLifetime(defaults) { try load(loader, source) }
    }

    private func load(
        _ loader: RecordLoader, _ source: ByteSource
    ) throws -> Realm.AddedRecords {
        do throws(RecordLoader.Failure) { try loader.load(source) } catch {
            switch error {
            case .engine(let error): throw Realm.Error(error)
            case .record(let error): throw rejection(error)
            }
        }
        return Realm.AddedRecords(
            created: loader.created, updated: loader.updated, unchanged: loader.unchanged)
    }

    private func rejection(_ error: RecordError) -> Realm.RejectedRecord {
        Realm.RejectedRecord(
            record: records + error.record, line: lines + error.line, column: error.column,
            property: error.property, reason: "expected \(error.expected), got \(error.got)")
    }

    private func rules(_ realm: RealmInstance) -> RecordRules {
        var rules = RecordRules()
        rules.mode = policy == .error ? .insert : .merge
        rules.ignoresUnknown = ignoresUnknown
        rules.temporaryDirectory = FileManager.default.temporaryDirectory.path
        rules.isConfidential = realm.configuration.encryptionKey != nil
        for model in realm.schema.models {
            for field in model.fields where field.name != field.column {
                rules.renamed.append((model.name, field.column, field.name))
            }
        }
        return rules
    }
}

/// Bytes that are in memory, as a single piece.
private final class Piece: ByteSupply {
    private var bytes: ByteView?

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes.baseAddress.map { ByteView($0, count: bytes.count) }
    }

    func next() -> ByteView? {
        defer { bytes = nil }
        return bytes
    }
}
