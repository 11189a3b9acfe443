import RealmEngine

/// What stands for a link.
package enum LinkForm {
    case null
    /// The target's primary key, or its object key in a class without primary keys; and the class
    /// if the form names it.
    case reference(JSONValue, table: ByteView?)
    /// `{"_key":N}`
    case objectKey(ObjectKey)
    /// The object itself.
    case object(JSONValue)
}

/// What a mixed property holds.
package enum MixedForm {
    case scalar(Value)
    case link(key: JSONValue, table: ByteView)
    case list(JSONChildren)
    case dictionary(JSONChildren)
}

extension JSONValue {
    /// A link, as the plain form, the extended one or the object itself.
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

    /// The elements of a list, or of a set in either form.
    package func elements(ofSet isSet: Bool = false) throws(ValueMismatch) -> JSONChildren {
        if kind == .array { return children }
        if isSet, let (name, content) = wrapped, name.equals("$set"), content.kind == .array {
            return content.children
        }
        throw ValueMismatch(self, expected: isSet ? "a set" : "a list")
    }

    /// The entries of a dictionary in either form; their keys are the children's.
    package func entries() throws(ValueMismatch) -> JSONChildren {
        guard kind == .object else { throw ValueMismatch(self, expected: "a dictionary") }
        guard let (name, content) = wrapped, name.equals("$dictionary"), content.kind == .object
        else { return children }
        return content.children
    }

    /// The fields of an embedded object in either form, and its table if named; nil for null.
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

    /// A value of a mixed property. Numbers become integers where they are whole, decimals where
    /// they are whole and beyond 64 bits, else doubles; other objects become dictionaries.
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
