import RealmEngine

/// The members of a nested object (embedded or expanded), in the order they are printed.
///
/// Made once per table and expansion by a renderer, and used for every such object.
package final class ObjectPlan {
    struct Member {
        /// `{"name":` or `,"name":`.
        let name: ConstantBytes.Piece
        /// Index into the table's columns, and position in `columns`.
        let column: Int
        let expansion: Expansion?
        /// The member may hold an object of this very plan's table: its scan may have moved.
        let isNesting: Bool
        let isMixed: Bool
    }

    let members: [Member]
    package let columns: [Int]
    private let names: ConstantBytes

    init(_ table: TableInfo, _ expansion: Expansion?, _ style: ValueStyle) {
        columns = table.columns.indices.filter { !style.omits(table.columns[$0]) }
        names = ConstantBytes(MemberNames.rendered(columns.map { table.columns[$0].name }))
        let names = names
        members = columns.enumerated().map { position, column in
            let info = table.columns[column]
            return Member(
                name: names[position], column: column, expansion: expansion?.child(info.name),
                isNesting: info.type == .link || info.type == .mixed || info.type == .typedLink,
                isMixed: info.type == .mixed)
        }
    }
}

/// JSON member names with what precedes them.
enum MemberNames {
    /// `{"first":`, `,"second":` …
    static func rendered(_ names: [String]) -> [[UInt8]] {
        names.enumerated().map { position, name in
            rendered(name, prefix: position == 0 ? "{" : ",")
        }
    }

    static func rendered(_ name: String, prefix: StaticString) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 64)
        buffer.append(prefix)
        buffer.append(json: name)
        buffer.append(UInt8(ascii: ":"))
        return [UInt8](buffer.bytes)
    }
}

extension ValueStyle {
    /// Whether `--binary omit` leaves the property out.
    package func omits(_ column: ColumnInfo) -> Bool { binary == .omit && column.type == .binary }
}
