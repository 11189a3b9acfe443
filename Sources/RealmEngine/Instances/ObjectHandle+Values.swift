/// Values by their type: nil for null, `misuse` for a property of another type, otherwise as
/// `ObjectHandle.value`.
extension ObjectHandle {
    public func bool(_ property: Int) throws(RealmError) -> Bool? { try value(property).bool() }

    public func float(_ property: Int) throws(RealmError) -> Float? {
        try value(property).float()
    }

    public func double(_ property: Int) throws(RealmError) -> Double? {
        try value(property).double()
    }

    /// Text, or bytes, where they are stored.
    public func bytes(_ property: Int) throws(RealmError) -> ByteView? {
        try value(property).bytes()
    }

    public func timestamp(_ property: Int) throws(RealmError) -> Timestamp? {
        try value(property).timestamp()
    }

    public func decimal(_ property: Int) throws(RealmError) -> Decimal128? {
        try value(property).decimal()
    }

    public func objectID(_ property: Int) throws(RealmError) -> ObjectID? {
        try value(property).objectID()
    }

    public func uuid(_ property: Int) throws(RealmError) -> UUIDValue? {
        try value(property).uuid()
    }

    public func link(_ property: Int) throws(RealmError) -> ObjectLink? {
        try value(property).link()
    }
}

extension Value {
    fileprivate func other(_ wanted: StaticString) -> RealmError {
        .misuse("a value is \(kindName), not \(wanted)", reason: "type")
    }

    @inline(__always)
    func int() throws(RealmError) -> Int64? {
        switch self {
        case .int(let value): return value
        case .null: return nil
        default: throw other("int")
        }
    }

    @inline(__always)
    fileprivate func bool() throws(RealmError) -> Bool? {
        switch self {
        case .bool(let value): return value
        case .null: return nil
        default: throw other("bool")
        }
    }

    @inline(__always)
    fileprivate func float() throws(RealmError) -> Float? {
        switch self {
        case .float(let value): return value
        case .null: return nil
        default: throw other("float")
        }
    }

    @inline(__always)
    fileprivate func double() throws(RealmError) -> Double? {
        switch self {
        case .double(let value): return value
        case .null: return nil
        default: throw other("double")
        }
    }

    @inline(__always)
    fileprivate func bytes() throws(RealmError) -> ByteView? {
        switch self {
        case .string(let value), .binary(let value): return value
        case .null: return nil
        default: throw other("string or data")
        }
    }

    @inline(__always)
    fileprivate func timestamp() throws(RealmError) -> Timestamp? {
        switch self {
        case .timestamp(let value): return value
        case .null: return nil
        default: throw other("date")
        }
    }

    fileprivate func decimal() throws(RealmError) -> Decimal128? {
        switch self {
        case .decimal(let value): return value
        case .null: return nil
        default: throw other("decimal128")
        }
    }

    fileprivate func objectID() throws(RealmError) -> ObjectID? {
        switch self {
        case .objectID(let value): return value
        case .null: return nil
        default: throw other("objectId")
        }
    }

    fileprivate func uuid() throws(RealmError) -> UUIDValue? {
        switch self {
        case .uuid(let value): return value
        case .null: return nil
        default: throw other("uuid")
        }
    }

    @inline(__always)
    fileprivate func link() throws(RealmError) -> ObjectLink? {
        switch self {
        case .link(let value): return value
        case .null: return nil
        default: throw other("object")
        }
    }
}
