/// The encodings of decimals in 4 and 8 bytes, for leaves (object format 3.10).
extension Decimal128 {
    /// Number of bytes in which a leaf of decimals can store this decimal: 4, 8 or 16.
    var packedWidth: Int {
        guard isFinite else { return isNull ? 4 : 16 }
        if coefficient < 1 << 23, exponent > -91, exponent < 91 { return 4 }
        if coefficient < 1 << 53, exponent > -370, exponent < 370 { return 8 }
        return 16
    }

    /// The decimal in the encoding of 4 bytes. The decimal must fit: `packedWidth` must be 4.
    var packed32: UInt32 {
        if isNull { return 0x7C00_00AA }
        let sign: UInt32 = isNegative ? 1 << 31 : 0
        return sign | UInt32(exponent + 101) << 23 | UInt32(coefficient)
    }

    /// The decimal in the encoding of 8 bytes. The decimal must fit: `packedWidth` must be 4 or 8.
    var packed64: UInt64 {
        if isNull { return 0x7C00_0000_0000_00AA }
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        return sign | UInt64(exponent + 398) << 53 | UInt64(coefficient)
    }
}
