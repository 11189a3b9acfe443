@_spi(Reflection) import Swift

/// Reads the stored properties of classes from the Swift runtime. Only this file depends on how the
/// toolchain lays them out (API specification 3.2).
enum RuntimeFields {
    struct Field {
        let name: String
        /// Offset in bytes from the start of the object.
        let offset: Int
        let type: Any.Type
    }

    /// Returns the stored properties of `type` and its superclasses in the order of declaration.
    /// Those of the base class come first.
    static func of(_ type: AnyClass) -> [Field] {
        var fields: [Field] = []
        // Option bit 0 states that the type is a class.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            fields.append(Field(name: String(cString: name), offset: offset, type: type))
            return true
        }
        return fields
    }
}
