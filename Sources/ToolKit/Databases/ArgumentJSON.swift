import RealmEngine
import RealmRecords

/// Converts a query argument from JSON in plain or extended form.
package enum ArgumentJSON {
    package static func argument(_ text: String) throws(OptionValueError) -> QueryArgument {
        let tape = JSONTape()
        var text = text
        let result = text.withUTF8 { utf8 -> Result<QueryArgument, OptionValueError> in
            let view = ByteView(
                UnsafeRawPointer(utf8.baseAddress ?? UnsafePointer(bitPattern: 8)!),
                count: utf8.count)
            return Result { () throws(OptionValueError) in
                let value: JSONValue
                do throws(RecordError) { value = try tape.parse(copying: view) } catch {
                    throw OptionValueError(error.message, reason: reason)
                }
                return try argument(value)
            }
        }
        return try result.get()
    }

    /// Machine-readable reason of the error for an argument that is not valid JSON.
    package static let reason = "bad-json"

    /// Converts a JSON value to an argument. A string becomes an untyped text argument: the query
    /// converts it to the type of the value it is compared with.
    package static func argument(_ value: JSONValue) throws(OptionValueError) -> QueryArgument {
        if value.kind == .array {
            var elements: [QueryArgument] = []
            var children = value.children
            while let child = children.next() { elements.append(try argument(child)) }
            return .list(elements)
        }
        if value.kind == .string { return .text(value.text.string) }
        let form: MixedForm
        do throws(ValueMismatch) { form = try value.mixed() } catch {
            throw OptionValueError("expected \(error.expected), got \(error.got)", reason: reason)
        }
        guard case .scalar(let scalar) = form else {
            throw OptionValueError("an argument is a scalar or a list", reason: reason)
        }
        return argument(scalar)
    }

    private static func argument(_ value: Value) -> QueryArgument {
        switch value {
        case .int(let v): .int(v)
        case .bool(let v): .bool(v)
        case .float(let v): .float(v)
        case .double(let v): .double(v)
        case .string(let v): .string(v.string)
        case .binary(let v): .binary(v.bytes)
        case .timestamp(let v): .timestamp(v)
        case .decimal(let v): .decimal(v)
        case .objectID(let v): .objectID(v)
        case .uuid(let v): .uuid(v)
        case .link(let v): .link(v)
        case .null, .list, .set, .dictionary: .null
        }
    }
}
