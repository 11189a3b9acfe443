import Glibc
import RealmEngine

extension OptionForm where Value == ZoneRules {
    /// A time zone: an offset from UTC, or the name of a zone file of the system.
    static var zone: Self {
        Self(.text) { (text) throws(OptionValueError) in
            if let rules = ZoneRules(offset: text) { return rules }
            let isName =
                text.utf8.first != UInt8(ascii: "/") && !text.isEmpty
                && text.utf8.allSatisfy { isPartOfName($0) }
            guard isName, let bytes = SystemText.bytes("\(directory)/\(text)"),
                let rules = ZoneRules(tzif: bytes)
            else {
                throw OptionValueError(
                    to: text, "not a time zone",
                    hint: "write +02:00, or a name that \(directory) has, such as Europe/Copenhagen"
                )
            }
            return rules
        }
    }

    /// Whether a byte may occur in a zone name. Dots are excluded, so that a name cannot refer to a
    /// file outside of the zone directory.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "_+-/".utf8.contains(byte)
    }

    private static var directory: String {
        getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    }
}
