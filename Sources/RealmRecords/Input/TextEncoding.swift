/// Encodings of input text.
package enum TextEncoding: String, CaseIterable, Sendable {
    case utf8 = "utf-8"
    /// UTF-16. A byte order mark determines the byte order; the default is little-endian.
    case utf16 = "utf-16"
    case utf16LittleEndian = "utf-16le"
    case utf16BigEndian = "utf-16be"
    case windows1252 = "windows-1252"
    case latin1 = "latin-1"

    /// Code points of the bytes 0x80 to 0x9F in windows-1252; 0 for the five undefined bytes.
    static let windows1252Scalars: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
}
