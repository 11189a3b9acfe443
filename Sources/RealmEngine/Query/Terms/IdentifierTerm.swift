/// Equality of object ids or UUIDs with constants, a leaf at a time.
final class IdentifierTerm: QueryTerm {
    private var cells: ColumnCells<FixedBytesLeaf>
    private let width: Int
    /// The ids to compare with, each as two words: its first eight bytes and the remaining bytes.
    private let members: [Identifier]
    /// Hash set of the constants; nil for few constants.
    private let places: ConstantHashSet?
    private let isNegated: Bool
    private let matchesNull: Bool

    private struct Identifier: Equatable {
        let head: UInt64
        let tail: UInt64

        @inline(__always)
        init(_ p: UnsafeRawPointer, width: Int) {
            head = p.loadUnaligned(as: UInt64.self)
            tail =
                width == 16
                ? p.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
                : UInt64(p.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        }

        init?(_ value: Value, _ type: ColumnType) {
            switch (value, type) {
            case (.objectID(let id), .objectID):
                (head, tail) = (id.high.byteSwapped, UInt64(id.low.byteSwapped))
            case (.uuid(let id), .uuid): (head, tail) = (id.high.byteSwapped, id.low.byteSwapped)
            default: return nil
            }
        }

        @inline(__always) var hash: UInt64 { ConstantHashSet.hash(head, tail) }
    }

    /// Maximum number of ids that are compared one by one; a longer list is hashed.
    private static let maximumListed = 4

    override var label: String { "equal ids (\(members.count)), whole leaves" }

    /// Nil for `<`, `<=`, `>`, `>=` and BETWEEN.
    init?(_ test: ColumnTest) {
        guard test.relation == .equal || test.relation == .notEqual else { return nil }
        let constants: [Value]
        switch test.operand {
        case .strict(let value), .general(let value): constants = [value]
        case .members(let values), .anyOf(let values): constants = values
        case .range: return nil
        }
        cells = ColumnCells(test.column)
        let type = test.column.layout.type
        width = type == .uuid ? 16 : 12
        let members = constants.compactMap { Identifier($0, type) }
        self.members = members
        isNegated = test.relation == .notEqual
        matchesNull = test.matches(.null)
        guard members.count > Self.maximumListed else {
            places = nil
            return
        }
        let places = ConstantHashSet(count: members.count)
        for (i, member) in members.enumerated() {
            places.insert(i, member.hash) { members[$0] == member }
        }
        self.places = places
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let column = try cells.leaf(leaf)
        let nulls = column.nulls
        let rows = (width == 16 ? rows(column, 16) : rows(column, 12)).subtracting(nulls)
        let found =
            isNegated ? Selection(first: leaf.count).subtracting(rows).subtracting(nulls) : rows
        return (matchesNull ? found | nulls : found) & among
    }

    /// Finds the matching rows of a leaf. Inlined, so that `width`, the size of an id in bytes, is
    /// a compile-time constant.
    @inline(__always)
    private func rows(_ column: FixedBytesLeaf, _ width: Int) -> Selection {
        members.withUnsafeBufferPointer { members in
            if let places {
                return column.rows(width) { p in
                    let id = Identifier(p, width: width)
                    return places.contains(id.hash) { members[$0] == id }
                }
            }
            var rows = Selection.none
            for member in members {
                rows =
                    rows
                    | column.rows(width) { p in
                        p.loadUnaligned(as: UInt64.self) == member.head
                            && Identifier(p, width: width) == member
                    }
            }
            return rows
        }
    }
}

extension FixedBytesLeaf {
    /// Returns the rows whose identifiers pass `test`; `width` is the size of an identifier in
    /// bytes. The leaf may have at most 256 rows. Identifiers of null rows are arbitrary bytes.
    @inline(__always)
    fileprivate func rows(_ width: Int, _ test: (UnsafeRawPointer) -> Bool) -> Selection {
        let blocks = IDBlocks(width: width)
        return Selection(min(count, ClusterRows.maximum)) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                if test(node.payload + blocks.offset(from &+ i)) { bits |= 1 &<< UInt64(i) }
                i &+= 1
            }
            return bits
        }
    }

    /// Returns the rows of the leaf that are null.
    fileprivate var nulls: Selection {
        let blocks = IDBlocks(width: width)
        return Selection(min(count, ClusterRows.maximum)) { (from, n) in
            var bits: UInt64 = 0
            var i = 0
            while i < n {
                let mask = UInt64(node.byte(blocks.nulls(from &+ i)))
                bits |= mask &<< UInt64(i)
                i &+= 8
            }
            return bits & Selection.mask(n)
        }
    }
}
