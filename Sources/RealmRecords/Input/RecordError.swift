import RealmEngine

/// The reason why an input record is rejected, and its position.
///
/// As large as a pointer. Memory is allocated only after a failure.
package struct RecordError: Error, Sendable {
    package enum Code: String, Sendable {
        /// The text is not JSON (RFC 8259), or does not have the structure that the input format
        /// requires.
        case invalidJSON = "InvalidJSON"
        /// An object contains the same name twice.
        case duplicateProperty = "DuplicateProperty"
        /// The text is not CSV (RFC 4180) or TSV, or a row does not have as many fields as the
        /// header.
        case invalidTable = "InvalidTable"
        /// The text contains bytes that are not UTF-8, or a lone surrogate.
        case invalidText = "InvalidText"
        /// A limit of size or nesting is exceeded.
        case limitExceeded = "LimitExceeded"
        /// The property cannot contain the value.
        case typeMismatch = "TypeMismatch"
        /// The field is not a property of the class.
        case invalidProperty = "InvalidProperty"
        /// The key is not permitted in dictionaries.
        case invalidDictionaryKey = "InvalidDictionaryKey"
        /// A required value is missing.
        case missingPropertyValue = "MissingPropertyValue"
        /// The class does not exist in the database.
        case noSuchTable = "NoSuchTable"
        /// The object does not exist in the database.
        case noSuchObject = "NoSuchObject"
        /// Another object already has the primary key.
        case objectAlreadyExists = "ObjectAlreadyExists"
        /// The object key cannot be used.
        case keyNotFound = "KeyNotFound"
        /// The object does not permit the operation.
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
    /// Number of the record, from 1. Rejected records are counted. 0 for a header.
    package var record: Int { details.record }
    /// Line, from 1.
    package var line: Int { details.position.line }
    /// Column, from 1, in code points.
    package var column: Int { details.position.column }
    /// Path of the property inside the record, such as `tags[3].name`; nil for the record itself.
    package var property: String? { details.property }
    /// The expected value, as a phrase.
    package var expected: String { details.expected }
    /// The actual value, shortened if long.
    package var got: String { details.got }
    /// Whether the input ends here, because the beginning of the next record cannot be determined.
    var endsInput: Bool { details.endsInput }

    /// Message for people, in one line.
    package var message: String {
        let place = "record \(record), line \(line), column \(column)"
        let subject = property.map { ": \($0)" } ?? ""
        return "\(place)\(subject): expected \(expected), got \(got)"
    }

    /// Returns this error with its position in the input. The error has a position in a copy of the
    /// record.
    ///
    /// - Parameters:
    ///   - place: position of the record in the input.
    ///   - start: position of the record in the copy.
    package func relocated(to place: RecordLocation, from start: TextPosition) -> RecordError {
        RecordError(
            code, record: place.record,
            position: details.position.relocated(to: place.position, from: start),
            property: property, expected: expected, got: got, endsInput: endsInput)
    }

    /// Returns an error that ends the command because of this record.
    package func realmError(file: String) -> RealmError {
        RealmError(.data, code: code.rawValue, reason: "record", message, file: file)
    }
}

/// Result of reading a record.
package enum RecordEvent<Record> {
    case record(Record)
    /// The record is rejected. The next record can be read, unless `endsInput` of the error is
    /// true.
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
