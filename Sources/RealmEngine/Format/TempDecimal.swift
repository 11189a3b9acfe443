extension Decimal128 {
    static let zero = Decimal128(high: 0x3040_0000_0000_0000, low: 0)
    init(packed32 v: UInt32) {
        if v == 0x7C00_00AA {
            self = .null
            return
        }
        let e = UInt64((v >> 23) & 0xFF) + 6176 - 101
        self.init(high: UInt64(v >> 31) << 63 | e << 49, low: UInt64(v & 0x7F_FFFF))
    }
    init(packed64 v: UInt64) {
        if v == 0x7C00_0000_0000_00AA {
            self = .null
            return
        }
        let e = ((v >> 53) & 0x3FF) + 6176 - 398
        self.init(high: (v >> 63) << 63 | e << 49, low: v & 0x1F_FFFF_FFFF_FFFF)
    }
}
