import RealmEngine
import RealmRecords

/// Decodes the three notations of a key in place, so that wiping one buffer erases all copies.
enum KeyText {
    /// Decodes the content of the key file at `path`. Overwrites `content`.
    static func decode(
        _ content: UnsafeMutableRawBufferPointer, _ path: String
    ) throws(RealmError) -> FileKey {
        let length = content.count
        if length == EncryptionKey.size {
            return try FileKey(UnsafeRawBufferPointer(content), form: .raw)
        }
        if length == EncryptionKey.size + 1, content[length - 1] == UInt8(ascii: "\n") {
            return try FileKey(UnsafeRawBufferPointer(content), form: .raw)
        }
        let packed = removeWhiteSpace(content)
        let found = "\(packed) characters"
        switch packed {
        case 128:
            guard decodeHexadecimal(content) else {
                throw KeyFile.malformed("\(found), not all of them hex digits", path)
            }
            return try FileKey(UnsafeRawBufferPointer(content), form: .hexadecimal)
        case 88:
            guard decodeBase64(content) else {
                throw KeyFile.malformed("\(found) that are not base64", path)
            }
            return try FileKey(UnsafeRawBufferPointer(content), form: .base64)
        default:
            let visible = packed == length ? "" : ", \(packed) without white space"
            throw KeyFile.malformed("it holds \(length) bytes\(visible)", path)
        }
    }

    /// Removes white space from the buffer and returns the number of remaining bytes.
    private static func removeWhiteSpace(_ content: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        for byte in content where !(byte == 0x20 || (0x09...0x0D).contains(byte)) {
            content[count] = byte
            count += 1
        }
        return count
    }

    private static func decodeHexadecimal(_ content: UnsafeMutableRawBufferPointer) -> Bool {
        for index in 0..<EncryptionKey.size {
            guard let high = HexDigit.value(content[2 * index]),
                let low = HexDigit.value(content[2 * index + 1])
            else { return false }
            content[index] = UInt8(high << 4 | low)
        }
        return true
    }

    /// Decodes 22 groups of four base64 characters in place. The last group has one byte and two
    /// padding characters.
    private static func decodeBase64(_ content: UnsafeMutableRawBufferPointer) -> Bool {
        guard content[86] == UInt8(ascii: "="), content[87] == UInt8(ascii: "=") else {
            return false
        }
        var bits: UInt32 = 0
        var count = 0
        for index in 0..<86 {
            guard let value = sextet(content[index]) else { return false }
            bits = bits << 6 | value
            if index % 4 == 0 { continue }
            // In each group of four base64 characters, the second, third and fourth complete a byte
            // each.
            content[count] = UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4)))
            count += 1
        }
        // The unused bits after the last byte must be zero: otherwise a key would have several
        // notations.
        return bits & 15 == 0
    }

    private static func sextet(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
