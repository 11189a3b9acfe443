import RealmEngine

/// A small JSON document for reports: it is built in memory and then written. Also used as a cell
/// of a `Report`.
package indirect enum JSONItem {
    package typealias Members = [(name: String, value: JSONItem)]

    case null
    case flag(Bool)
    case number(UInt64)
    /// The text of a number.
    case literal(String)
    case text(String)
    case list([JSONItem])
    /// An array that is written with one item per line.
    case lines([JSONItem])
    case object(Members)

    package static func count(_ number: Int) -> JSONItem { .number(UInt64(clamping: number)) }

    /// Returns the number, or JSON null for nil.
    package static func known(_ number: UInt64?) -> JSONItem { number.map { .number($0) } ?? .null }
    package static func known(_ number: Int?) -> JSONItem { number.map { .count($0) } ?? .null }
    /// Returns the text, or JSON null for nil.
    package static func known(_ text: String?) -> JSONItem { text.map { .text($0) } ?? .null }

    package static func texts(_ texts: [String]) -> JSONItem { .list(texts.map { .text($0) }) }
    package static func counts(_ numbers: [Int]) -> JSONItem { .list(numbers.map { .count($0) }) }

    /// The members of an object; empty for any other value.
    package var members: Members {
        if case .object(let members) = self { return members }
        return []
    }

    /// Appends the document without a line end.
    package func append(to out: inout ByteBuffer) {
        switch self {
        case .null: out.append("null")
        case .flag(let flag): out.append(flag)
        case .number(let number): out.append(number: number)
        case .literal(let text): out.append(text)
        case .text(let text): out.append(json: text)
        case .list(let items): Self.append(items, before: "", to: &out)
        case .lines(let items): Self.append(items, before: "\n", to: &out)
        case .object(let members):
            out.append("{")
            for (position, member) in members.enumerated() {
                if position > 0 { out.append(",") }
                out.append(json: member.name)
                out.append(":")
                member.value.append(to: &out)
            }
            out.append("}")
        }
    }

    private static func append(
        _ items: [JSONItem], before: StaticString, to out: inout ByteBuffer
    ) {
        out.append("[")
        for (position, item) in items.enumerated() {
            if position > 0 { out.append(",") }
            out.append(before)
            item.append(to: &out)
        }
        out.append("]")
    }

    /// Appends the document and a line end.
    package func appendLine(to out: inout ByteBuffer) {
        append(to: &out)
        out.append("\n")
    }
}
