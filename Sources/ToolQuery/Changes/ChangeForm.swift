import RealmEngine
import ToolKit

/// An output format for the changes of `--diff` and `--watch`.
///
/// Each format is a file in this folder and an entry of `ChangeForms.all`.
protocol ChangeForm: SendableMetatype {
    static var format: OutputFormat { get }

    init(_ request: ChangeRequest)

    /// Appends a change record for a change of a class, of a property or of the schema version.
    func append(
        _ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer)

    /// Appends a change record for an inserted or deleted object.
    ///
    /// - Parameters:
    ///   - object: the object, in the newer version if it was inserted, in the older version if it
    ///     was deleted.
    ///   - version: number of the newer version.
    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError)

    /// Appends a change record for an updated object.
    ///
    /// - Parameters:
    ///   - object: the object in the newer version.
    ///   - changed: indexes of the properties that differ.
    ///   - before: the object in the older version.
    func append(
        _ object: ChangedObject, _ changed: [Int], before: ChangedObject,
        to out: inout ByteBuffer
    ) throws(RealmError)
}

/// All output formats for changes.
enum ChangeForms {
    static let all: [any ChangeForm.Type] = [ChangeLines.self, ReadableChanges.self]

    /// Returns the output format with this name; nil if it is not a format for changes.
    static func form(_ format: OutputFormat) -> (any ChangeForm.Type)? {
        all.first { $0.format == format }
    }
}

enum ObjectChange {
    case inserted, deleted
}

/// An object in one of the two compared versions.
struct ChangedObject {
    let key: ObjectKey
    let table: ChangedTable
    let side: ChangeSide
}
