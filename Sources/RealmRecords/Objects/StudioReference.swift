import RealmEngine

/// Identifiers of objects in JSON of Realm Studio, which uses them if links form cycles. The first
/// occurrence of an object has `"$refId":"Person#5"` among its properties; later occurrences are
/// `{"$ref":"Person#5"}`. The class is followed by the primary key as text, or by the object key.
package enum StudioReference {
    package static let identity = "$refId"
    package static let member = "$ref"

    /// Returns the field with the identifier if the value is `{"$ref":"Person#5"}`; otherwise nil.
    static func field(of value: JSONValue) -> JSONValue? {
        guard value.kind == .object, value.count == 1, let field = value.field("$ref"),
            field.kind == .string
        else { return nil }
        return field
    }

    /// Parses the identifier of an object of class `table`, such as `Person#5`.
    static func name(
        _ field: JSONValue, in table: TableInfo
    ) throws(ValueMismatch) -> ObjectReference.Name {
        let prefix = Array((table.className + "#").utf8)
        if field.kind == .string, field.text.count >= prefix.count,
            field.text.buffer.prefix(prefix.count).elementsEqual(prefix)
        {
            let text = ByteView(
                field.text.base + prefix.count, count: field.text.count - prefix.count)
            if let name = name(text, field, in: table) { return name }
        }
        throw ValueMismatch(field, expected: "an object of \(table.className) such as Class#5")
    }

    private static func name(
        _ text: ByteView, _ field: JSONValue, in table: TableInfo
    ) -> ObjectReference.Name? {
        guard let position = table.primaryKey else {
            guard let key = Int64(text: text), key >= 0 else { return nil }
            return .objectKey(ObjectKey(key))
        }
        let column = table.columns[position]
        if let value = ScalarText.value(text, as: column.type, in: field.scratch) {
            return .primaryKey(value)
        }
        return column.isNullable && text.equals(Array("null".utf8)) ? .primaryKey(.null) : nil
    }
}
