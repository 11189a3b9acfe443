/// Hexadecimal digits in ASCII.
package enum HexDigit {
    /// Returns the value of a hexadecimal digit; nil for other bytes.
    package static func value(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte) - 0x37
        default: nil
        }
    }
}
