@_spi(Reflection) import Swift

/// Reads the stored properties of classes from the runtime. All code that depends on the
/// toolchain's layout of them is in this file (API specification 3.2).
enum RuntimeFields {
    struct Field {
        let name: String
        /// Offset in bytes from the start of the object.
        let offset: Int
        let type: Any.Type
    }

    /// Stored properties of `type` and its superclasses, base class first, in the order of
    /// declaration.
    static func of(_ type: AnyClass) -> [Field] {
        var fields: [Field] = []
        // Bit 0: the type is a class.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            fields.append(Field(name: String(cString: name), offset: offset, type: type))
            return true
        }
        return fields
    }
}
