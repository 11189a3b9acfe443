import RealmEngine

extension Value {
    package func copied(in arena: ScratchArena) -> Value {
        copied { bytes in
            let copy = arena.allocate(bytes.count)
            copy.copyMemory(from: bytes.base, byteCount: bytes.count)
            return ByteView(copy, count: bytes.count)
        }
    }

    /// Returns this value with its bytes copied by `copy`; values without bytes are unchanged.
    package func copied<E>(_ copy: (ByteView) throws(E) -> ByteView) throws(E) -> Value {
        switch self {
        case .string(let text): .string(try copy(text))
        case .binary(let bytes): .binary(try copy(bytes))
        default: self
        }
    }
}
