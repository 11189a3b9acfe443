import RealmEngine

/// A small JSON document, for reports: built as a value, then written.
package indirect enum JSONItem {
    case null
    case flag(Bool)
    case number(UInt64)
    /// A number's text.
    case literal(String)
    case text(String)
    case list([JSONItem])
    case object([(name: String, value: JSONItem)])

    /// Null for what is not known.
    package static func known(_ number: UInt64?) -> JSONItem { number.map { .number($0) } ?? .null }

    package static func count(_ number: Int) -> JSONItem { .number(UInt64(clamping: number)) }

    /// Appends it on one line, without a line end.
    package func append(to out: inout ByteBuffer) {
        switch self {
        case .null: out.append("null")
        case .flag(let flag): out.append(flag)
        case .number(let number): out.append(number: number)
        case .literal(let text): out.append(text)
        case .text(let text): JSONText.append(text, to: &out)
        case .list(let items):
            out.append("[")
            for (position, item) in items.enumerated() {
                if position > 0 { out.append(",") }
                item.append(to: &out)
            }
            out.append("]")
        case .object(let members):
            out.append("{")
            for (position, member) in members.enumerated() {
                if position > 0 { out.append(",") }
                JSONText.append(member.name, to: &out)
                out.append(":")
                member.value.append(to: &out)
            }
            out.append("}")
        }
    }
}
