import RealmEngine
import ToolKit

/// A form of changes for `--diff` and `--watch`.
///
/// Each form is a file and an entry of `ChangeForms.all`.
protocol ChangeForm: SendableMetatype {
    static var format: OutputFormat { get }

    init(_ request: ChangeRequest)

    /// Appends a change of a class, of a property or of the schema version.
    func append(
        _ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer)

    /// Appends an object that exists on one side only: `side` has it, or lacks it from `version`
    /// on.
    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError)

    /// Appends an updated object. `changed` are the indexes of the properties that differ from
    /// `before`.
    func append(
        _ object: ChangedObject, _ changed: [Int], before: ChangedObject,
        to out: inout ByteBuffer
    ) throws(RealmError)
}

/// All forms of changes.
enum ChangeForms {
    static let all: [any ChangeForm.Type] = [ChangeLines.self, ReadableChanges.self]

    /// Returns the form with this name; nil if it is not a form of changes.
    static func form(_ format: OutputFormat) -> (any ChangeForm.Type)? {
        all.first { $0.format == format }
    }
}

enum ObjectChange {
    case inserted, deleted
}

/// An object in one of the compared versions.
struct ChangedObject {
    let key: ObjectKey
    let table: ChangedTable
    let side: ChangeSide
}
