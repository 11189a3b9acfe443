extension ObjectKey {
    /// Makes the key of the object with `primaryKey` in formats 20 and 21: the low half of its
    /// global identifier, without the two highest bits (object format 1.13). Returns nil if the
    /// type cannot be a primary key.
    init?(hashing primaryKey: Value) {
        let low: UInt64
        switch primaryKey {
        case .null: low = 0
        case .int(let number): low = UInt64(bitPattern: number)
        case .string(let text): low = Self.low(text)
        case .objectID(let id):
            low = withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
                id.store(to: bytes.baseAddress!)
                return Self.low(ByteView(bytes.baseAddress!, count: 12))
            }
        case .uuid(let id): low = id.low.byteSwapped
        default: return nil
        }
        self.init(Int64(bitPattern: low & 0x3FFF_FFFF_FFFF_FFFF))
    }

    /// Returns the first eight bytes of the SHA-1 hash as a little-endian number.
    private static func low(_ bytes: ByteView) -> UInt64 {
        let words = SHA1.hash(bytes)
        return UInt64(words[1].byteSwapped) << 32 | UInt64(words[0].byteSwapped)
    }
}
