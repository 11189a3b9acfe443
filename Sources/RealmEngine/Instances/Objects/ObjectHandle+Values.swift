/// Typed values of properties; nil for null. These functions throw `misuse` for a property of
/// another type, and the errors of `ObjectHandle.value`.
extension ObjectHandle {
    func bool(_ property: Int) throws(RealmError) -> Bool? {
        try value(property).unwrapped("bool") { if case .bool(let v) = $0 { v } else { nil } }
    }

    func float(_ property: Int) throws(RealmError) -> Float? {
        try value(property).unwrapped("float") { if case .float(let v) = $0 { v } else { nil } }
    }

    func double(_ property: Int) throws(RealmError) -> Double? {
        try value(property).unwrapped("double") { if case .double(let v) = $0 { v } else { nil } }
    }

    /// Returns the stored bytes of a string or binary property.
    func bytes(_ property: Int) throws(RealmError) -> ByteView? {
        try value(property).unwrapped("string or data") {
            switch $0 {
            case .string(let v), .binary(let v): v
            default: nil
            }
        }
    }

    func timestamp(_ property: Int) throws(RealmError) -> Timestamp? {
        try value(property).unwrapped("date") { if case .timestamp(let v) = $0 { v } else { nil } }
    }

    func decimal(_ property: Int) throws(RealmError) -> Decimal128? {
        try value(property).unwrapped("decimal128") {
            if case .decimal(let v) = $0 { v } else { nil }
        }
    }

    func objectID(_ property: Int) throws(RealmError) -> ObjectID? {
        try value(property).unwrapped("objectId") {
            if case .objectID(let v) = $0 { v } else { nil }
        }
    }

    func uuid(_ property: Int) throws(RealmError) -> UUIDValue? {
        try value(property).unwrapped("uuid") { if case .uuid(let v) = $0 { v } else { nil } }
    }

    func link(_ property: Int) throws(RealmError) -> ObjectLink? {
        try value(property).unwrapped("object") { if case .link(let v) = $0 { v } else { nil } }
    }
}

extension Value {
    /// Returns the value converted by `pick`; nil for null. Throws `misuse` if `pick` returns nil,
    /// because the property has another type than `wanted`.
    @inline(__always)
    fileprivate func unwrapped<T>(
        _ wanted: StaticString, _ pick: (Value) -> T?
    ) throws(RealmError) -> T? {
        if case .null = self { return nil }
        guard let found = pick(self) else {
            throw .misuse("a value is \(kindName), not \(wanted)", reason: "type")
        }
        return found
    }

    @inline(__always)
    func text() throws(RealmError) -> ByteView? {
        try unwrapped("string") { if case .string(let v) = $0 { v } else { nil } }
    }

    @inline(__always)
    func int() throws(RealmError) -> Int64? {
        try unwrapped("int") { if case .int(let v) = $0 { v } else { nil } }
    }
}
