import RealmEngine
import ToolKit

/// A form of changes: how `--diff` and `--watch` print them.
///
/// A form is a file and a row of `ChangeForms.all`.
protocol ChangeForm: SendableMetatype {
    static var format: OutputFormat { get }

    init(_ request: ChangeRequest)

    /// Appends what happened to a class, a property or the schema version.
    func append(
        _ step: SchemaDifference.Step, version: UInt64, to out: inout ByteBuffer)

    /// Appends an object that one side alone has: `side` lacks it from `version` on, or has it.
    func append(
        _ change: ObjectChange, _ object: ChangedObject, version: UInt64, to out: inout ByteBuffer
    ) throws(RealmError)

    /// Appends an object whose properties with the indexes `changed` differ from those before.
    func append(
        _ object: ChangedObject, _ changed: [Int], before: ChangedObject,
        to out: inout ByteBuffer
    ) throws(RealmError)
}

/// The forms of changes.
enum ChangeForms {
    static let all: [any ChangeForm.Type] = [ChangeLines.self, ReadableChanges.self]

    /// The form of that name; nil for a form that is not one of changes.
    static func form(_ format: OutputFormat) -> (any ChangeForm.Type)? {
        all.first { $0.format == format }
    }
}

enum ObjectChange {
    case inserted, deleted
}

/// An object in one of the versions compared.
struct ChangedObject {
    let key: ObjectKey
    let table: ChangedTable
    let side: ChangeSide
}
