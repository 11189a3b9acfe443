@_spi(Reflection) import Swift

/// The stored properties of classes, as the runtime knows them: everything that depends on how the
/// toolchain lays them out is in this file (API specification 3.2).
enum RuntimeFields {
    struct Field {
        let name: String
        /// In bytes, from the beginning of the object.
        let offset: Int
        let type: Any.Type
    }

    /// Of `type` and its superclasses, base class first, in the order of their declaration.
    static func of(_ type: AnyClass) -> [Field] {
        var fields: [Field] = []
        // 1: of a class.
        let options = _EachFieldOptions(rawValue: 1)
        _ = _forEachField(of: type, options: options) { name, offset, type, _ in
            fields.append(Field(name: String(cString: name), offset: offset, type: type))
            return true
        }
        return fields
    }
}
