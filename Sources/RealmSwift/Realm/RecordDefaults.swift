import RealmEngine
import RealmRecords

/// Default values of a model class, for properties of new objects that a record does not give.
final class RecordDefaults {
    private struct Column {
        let index: Int
        let field: ClassModel.Field
    }

    /// Default values that are the same in all new objects, by column. Texts and bytes in the
    /// values are valid as long as this `RecordDefaults` exists.
    private(set) var fixed: [(column: Int, value: Value)] = []
    /// Columns whose default differs from object to object.
    private var varying: [Column] = []
    /// Whether all defaults are the same in all objects, so that rows need no completion.
    var isFixed: Bool { varying.isEmpty }
    private let type: ObjectBase.Type
    private let fixedBytes = _Storing(nil)
    private let otherBytes = _Storing(nil)

    /// Throws `misuse` if the default of a property is an object or a collection with elements.
    init(_ model: ClassModel, _ table: TableInfo) throws(RealmError) {
        type = model.type
        let (first, second) = (model.type.init(), model.type.init())
        for field in model.fields {
            guard let index = table.columnIndex(named: field.column) else { continue }
            guard Self.isSingle(field) else {
                try Self.checkEmpty(field, first, model)
                continue
            }
            let value = field.wrapper.localValue(at: first.place(of: field), fixedBytes)
            let other = field.wrapper.localValue(at: second.place(of: field), otherBytes)
            if Self.isSame(value, other), !field.isPrimaryKey {
                fixed.append((index, value))
            } else if !Self.isSame(value, other) {
                varying.append(Column(index: index, field: field))
            }
        }
    }

    private static func isSingle(_ field: ClassModel.Field) -> Bool {
        field.shape.collection == nil
            && ![.object, .any, .linkingObjects].contains(field.shape.type)
    }

    private static func checkEmpty(
        _ field: ClassModel.Field, _ object: ObjectBase, _ model: ClassModel
    ) throws(RealmError) {
        guard let value = field.wrapper.any(at: object.place(of: field), object),
            let value = unwrapped(value)
        else { return }
        if let any = value as? AnyRealmValue, case .none = any { return }
        // A map is a sequence, not a collection.
        func isEmpty<S: Sequence>(_ elements: S) -> Bool { !elements.contains { _ in true } }
        if let elements = value as? any Sequence, isEmpty(elements) { return }
        throw .misuse(
            "the default of '\(model.name).\(field.name)' is an object or a collection with "
                + "elements, which JSON lines cannot give to new objects",
            code: "IllegalOperation")
    }

    /// Whether a property certainly has the same default value in every new object, given its
    /// values `a` and `b` in two new objects.
    private static func isSame(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)): a == b
        // Two objects made in the same moment may have the same date.
        case (.timestamp, _): false
        default: "\(a)" == "\(b)"
        }
    }

    /// Stores default values in the row of a record, for properties that the record does not give.
    /// Only sets properties whose default differs from object to object.
    func complete(_ plan: ClassPlan) {
        guard varying.contains(where: { plan.given[$0.index] == .nowhere }) else { return }
        otherBytes.reuse()
        let fresh = type.init()
        for column in varying where plan.given[column.index] == .nowhere {
            let place = fresh.place(of: column.field)
            plan.row[column.index] = column.field.wrapper.localValue(at: place, otherBytes)
            if column.field.isPrimaryKey { plan.given[column.index] = .inRow }
        }
    }
}
