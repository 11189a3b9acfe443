import RealmEngine

/// Notations of a link in JSON.
package enum LinkForm {
    case null
    /// A link by the primary key of the target; by its object key in a class without primary key.
    /// `table` is the class of the target, if it is given.
    case reference(JSONValue, table: ByteView?)
    /// An object key: `{"_key":N}`.
    case objectKey(ObjectKey)
    /// The target object itself.
    case object(JSONValue)
}

/// Notations of a value in a mixed property.
package enum MixedForm {
    case scalar(Value)
    case link(key: JSONValue, table: ByteView)
    case list(JSONChildren)
    case dictionary(JSONChildren)
}

extension JSONValue {
    /// Parses a link: a key in plain or extended form, or the object itself.
    package func link() throws(ValueMismatch) -> LinkForm {
        switch kind {
        case .null: return .null
        case .int, .string: return .reference(self, table: nil)
        case .object:
            if let (name, content) = wrapped {
                guard name.equals("$link") else { return .reference(self, table: nil) }
                let (key, table) = try target(content)
                return .reference(key, table: table)
            }
            if count == 1, let key = field("_key") {
                guard let number = key.int, number >= 0 else {
                    throw ValueMismatch(key, expected: "an object key")
                }
                return .objectKey(ObjectKey(number))
            }
            return .object(self)
        case .bool, .number, .array:
            throw ValueMismatch(self, expected: "a link")
        }
    }

    private func target(
        _ content: JSONValue
    ) throws(ValueMismatch) -> (key: JSONValue, table: ByteView) {
        guard content.kind == .object, content.count == 2, let key = content.field("key"),
            let table = content.field("table"), table.kind == .string
        else { throw ValueMismatch(self, expected: "\"table\" and \"key\" of a link") }
        return (key, table.text)
    }

    /// Returns the elements of a list, or of a set in plain or extended form.
    package func elements(ofSet isSet: Bool = false) throws(ValueMismatch) -> JSONChildren {
        if kind == .array { return children }
        if isSet, let (name, content) = wrapped, name.equals("$set"), content.kind == .array {
            return content.children
        }
        throw ValueMismatch(self, expected: isSet ? "a set" : "a list")
    }

    /// Returns the entries of a dictionary in plain or extended form. `key` of a child is the key
    /// of the entry.
    package func entries() throws(ValueMismatch) -> JSONChildren {
        guard kind == .object else { throw ValueMismatch(self, expected: "a dictionary") }
        guard let (name, content) = wrapped, name.equals("$dictionary"), content.kind == .object
        else { return children }
        return content.children
    }

    /// Returns the fields of an embedded object in plain or extended form, and its class if it is
    /// given. Returns nil for null.
    package func embedded() throws(ValueMismatch) -> (object: JSONValue, table: ByteView?)? {
        if isNull { return nil }
        guard kind == .object else { throw ValueMismatch(self, expected: "an embedded object") }
        guard let (name, content) = wrapped, name.equals("$embedded") else { return (self, nil) }
        guard let object = content.field("value"), object.kind == .object else {
            throw ValueMismatch(self, expected: "\"value\" of an embedded object")
        }
        let table = content.field("table")
        return (object, table?.kind == .string ? table?.text : nil)
    }

    /// Parses a value of a mixed property. A whole number becomes an integer, or a decimal if it
    /// exceeds 64 bits. Any other number becomes a double. An object that is not an extended form
    /// becomes a dictionary.
    package func mixed() throws(ValueMismatch) -> MixedForm {
        switch kind {
        case .null: return .scalar(.null)
        case .bool, .int, .string:
            let type: ColumnType = kind == .bool ? .bool : kind == .int ? .int : .string
            return .scalar(try scalar(type, isNullable: true))
        case .number: return .scalar(try mixedNumber())
        case .array: return .list(children)
        case .object: return try mixedObject()
        }
    }

    private func mixedNumber() throws(ValueMismatch) -> Value {
        let isWhole = text.buffer.allSatisfy { $0 != 0x2E && $0 | 0x20 != 0x65 }
        return try scalar(isWhole && double != 0 ? .decimal : .double, isNullable: false)
    }

    private func mixedObject() throws(ValueMismatch) -> MixedForm {
        guard let (name, content) = wrapped else { return .dictionary(children) }
        if name.equals("$dictionary"), content.kind == .object {
            return .dictionary(content.children)
        }
        if name.equals("$link") {
            let (key, table) = try target(content)
            return .link(key: key, table: table)
        }
        guard let value = selfDescribed(name, content) else {
            throw ValueMismatch(self, expected: "a value of a mixed property")
        }
        return .scalar(value)
    }
}
