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

    /// Appends an inserted or deleted object. `object` is the object in the version that contains
    /// it; `version` is the number of the newer version.
    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError)

    /// Appends an updated object. `changed` contains the indexes of the properties that differ from
    /// `before`.
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
