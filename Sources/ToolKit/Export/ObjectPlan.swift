import RealmEngine

/// The members to print, in order, of an object inside another object: an embedded object, or a
/// linked object that `--expand` prints.
///
/// A renderer creates one plan for each table and set of expanded links.
package final class ObjectPlan {
    struct Member {
        /// Text before the value: `{"name":` or `,"name":`.
        let name: ConstantBytes.Piece
        /// Index of the property in the table's columns.
        let column: Int
        let expansion: Expansion?
        /// Whether the value may contain objects of the same table. Rendering such objects moves
        /// the table's scan to other leaves.
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

/// JSON member names with the punctuation before and after them.
enum MemberNames {
    /// Returns `{"first":`, `,"second":` and so on.
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
