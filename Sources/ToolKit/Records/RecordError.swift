import RealmEngine

/// Why one input record was refused: where it is and what was wrong with it.
///
/// One pointer wide; made only on failure.
package struct RecordError: Error, Sendable {
    package enum Code: String, Sendable {
        /// Not JSON (RFC 8259), or not of the shape the input format promises.
        case invalidJSON = "InvalidJSON"
        /// The same name twice in one object.
        case duplicateProperty = "DuplicateProperty"
        /// Not CSV (RFC 4180) or TSV, or not the header's number of fields.
        case invalidTable = "InvalidTable"
        /// Bytes that are not UTF-8, or half a surrogate pair.
        case invalidText = "InvalidText"
        /// More bytes or deeper nesting than allowed.
        case limitExceeded = "LimitExceeded"
        /// A value that its property cannot hold.
        case typeMismatch = "TypeMismatch"
        /// A field that is no property.
        case invalidProperty = "InvalidProperty"
        /// A key that dictionaries cannot have.
        case invalidDictionaryKey = "InvalidDictionaryKey"
        /// A record without a value it needs.
        case missingPropertyValue = "MissingPropertyValue"
        /// A class that the database does not have.
        case noSuchTable = "NoSuchTable"
        /// An object that the database does not have.
        case noSuchObject = "NoSuchObject"
        /// A primary key that another object has.
        case objectAlreadyExists = "ObjectAlreadyExists"
        /// An object key that cannot be had.
        case keyNotFound = "KeyNotFound"
        /// Something that cannot be done to the object.
        case illegalOperation = "IllegalOperation"
    }

    private final class Details: Sendable {
        let code: Code
        let record: Int
        let position: TextPosition
        let property: String?
        let expected: String
        let got: String
        let endsInput: Bool

        init(
            _ code: Code, record: Int, position: TextPosition, property: String?,
            expected: String, got: String, endsInput: Bool
        ) {
            self.code = code
            self.record = record
            self.position = position
            self.property = property
            self.expected = expected
            self.got = got
            self.endsInput = endsInput
        }
    }

    private let details: Details

    @inline(never)
    package init(
        _ code: Code, record: Int, position: TextPosition, property: String? = nil,
        expected: String, got: String, endsInput: Bool = false
    ) {
        details = Details(
            code, record: record, position: position, property: property, expected: expected,
            got: got, endsInput: endsInput)
    }

    package var code: Code { details.code }
    /// From 1, counting refused records too; 0 for a header.
    package var record: Int { details.record }
    /// From 1.
    package var line: Int { details.position.line }
    /// From 1, in characters.
    package var column: Int { details.position.column }
    /// Path of the property inside the record, such as `tags[3].name`; nil for the record itself.
    package var property: String? { details.property }
    /// What would have been right, as a phrase.
    package var expected: String { details.expected }
    /// What was there, shortened if long.
    package var got: String { details.got }
    /// The reader cannot find the start of another record.
    var endsInput: Bool { details.endsInput }

    /// One sentence, as printed for people.
    package var message: String {
        let place = "record \(record), line \(line), column \(column)"
        let subject = property.map { ": \($0)" } ?? ""
        return "\(place)\(subject): expected \(expected), got \(got)"
    }

    /// The same problem of a record that was found at `start` and stands at `place` in fact.
    package func relocated(to place: RecordPlace, from start: TextPosition) -> RecordError {
        RecordError(
            code, record: place.record,
            position: details.position.relocated(to: place.position, from: start),
            property: property, expected: expected, got: got, endsInput: endsInput)
    }

    /// The error that ends a run on this record.
    package func realmError(file: String) -> RealmError {
        RealmError(.data, code: code.rawValue, reason: "record", message, file: file)
    }
}

/// What a reader found next.
package enum RecordEvent<Record> {
    case record(Record)
    /// The record is unusable; unless `endsInput`, reading goes on behind it.
    case rejected(RecordError)
    case end
}

extension RecordEvent {
    package func map<R>(_ change: (Record) -> R) -> RecordEvent<R> {
        switch self {
        case .record(let record): .record(change(record))
        case .rejected(let error): .rejected(error)
        case .end: .end
        }
    }
}
