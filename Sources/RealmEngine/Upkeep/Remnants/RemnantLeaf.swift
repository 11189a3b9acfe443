/// A cluster leaf that no readable version uses.
struct RemnantLeaf {
    /// A fault of a column.
    enum Fault: UInt8 {
        case none
        /// It may belong to another state: two leaves lead to it that cannot share it.
        case doubtful
        /// It is not there, has another form, or was written over.
        case missing
    }

    struct Cell: Hashable {
        let column: Int
        let row: Int
    }

    let ref: Ref
    /// Nil where the nodes above are lost and there is no other evidence.
    var base: UInt64?
    /// Positions in the search's subjects, and among the ways to read the subject's leaves.
    let subject: Int
    let layout: Int
    /// Whether another class has leaves of the same form and nothing else decides.
    var isAmbiguous: Bool
    /// By column.
    var faults: [Fault]
    /// Faults of single values, in columns without a fault.
    var cells: [Cell: Fault] = [:]
    /// Whether the leaf has columns that the layout does not have.
    var hasUnknownColumns = false
    /// Columns that may be removed ones which had their slot in the leaf before, unless the values agree.
    var unprovenColumns: Set<Int> = []

    /// Notes a fault of a column, or of one value in it.
    mutating func raise(_ fault: Fault, column: Int, row: Int?) {
        guard let row else {
            if faults[column].rawValue < fault.rawValue { faults[column] = fault }
            return
        }
        let cell = Cell(column: column, row: row)
        if cells[cell, default: .none].rawValue < fault.rawValue { cells[cell] = fault }
    }
}

/// One way in which a table's leaves were stored: its columns of some version.
struct RemnantLayout {
    let info: TableInfo
    /// Positions of the columns among all that the subject has or had.
    let positions: [Int]
    /// Number of slots of a leaf.
    let slots: Int
    /// Slots of the keys, columns and backlinks.
    private let used: Set<Int>

    init(_ info: TableInfo, positions: [Int]) {
        (self.info, self.positions) = (info, positions)
        slots = info.leafSlots
        used = Set(
            [0] + info.columns.map { $0.leafIndex + 1 } + info.backlinks.map { $0.leafIndex + 1 })
    }

    /// Number of slots of `leaf` with columns that this layout does not have, and of slots that are
    /// missing.
    func unknownSlots(of leaf: ClusterLeaf) -> Int {
        let unknown = (1..<leaf.node.count).count {
            !used.contains($0) && !leaf.node.slot($0).isNone
        }
        return unknown + max(0, slots - leaf.node.count)
    }
}

/// A class whose objects are searched for.
final class RemnantSubject {
    /// As the newest version has it; of a class that is gone, as it was last.
    let info: TableInfo
    /// The newest version has no such class.
    let isOrphan: Bool
    /// The present columns first.
    private(set) var layouts: [RemnantLayout] = []
    /// The class with the columns that were removed behind those it has.
    private(set) var shown: TableInfo

    init(_ info: TableInfo, isOrphan: Bool) {
        (self.info, self.isOrphan) = (info, isOrphan)
        shown = info
        add(info)
    }

    private static let maximumLayoutCount = 16

    /// Position of the layout with the columns of `other`; nil if it is not known.
    func layout(of other: TableInfo) -> Int? {
        let (keys, backlinks) = (other.columns.map(\.key), other.backlinks.map(\.key))
        return layouts.firstIndex {
            $0.info.columns.map(\.key) == keys && $0.info.backlinks.map(\.key) == backlinks
        }
    }

    /// The columns of another version; those that are not known yet are added.
    @discardableResult
    func add(_ other: TableInfo) -> RemnantLayout {
        if let known = layout(of: other) { return layouts[known] }
        var columns = shown.columns
        let positions = other.columns.map { column in
            if let known = columns.firstIndex(where: { $0.key == column.key }) { return known }
            columns.append(column.named(Self.free(column.name, columns)))
            return columns.count - 1
        }
        shown = info.with(columns)
        let layout = RemnantLayout(other, positions: positions)
        if layouts.count < Self.maximumLayoutCount { layouts.append(layout) }
        return layout
    }

    /// A name that no column has: a property may have been replaced by one of another type.
    private static func free(_ name: String, _ columns: [ColumnInfo]) -> String {
        var free = name
        var number = 1
        while columns.contains(where: { $0.name == free }) {
            free = "\(name)~\(number)"
            number += 1
        }
        return free
    }
}

extension TableInfo {
    /// This table with other columns.
    fileprivate func with(_ columns: [ColumnInfo]) -> TableInfo {
        TableInfo(
            key: key, name: name, columns: columns, backlinks: backlinks, primaryKey: primaryKey,
            origin: origin, state(root: root, collisions: collisions, tombstones: tombstones))
    }

    /// This table without objects: the objects of a removed class are read by their leaves alone.
    func withoutObjects() -> TableInfo {
        TableInfo(
            key: key, name: name, columns: columns, backlinks: backlinks, primaryKey: primaryKey,
            origin: origin, state(root: .none, collisions: .none, tombstones: .none))
    }

    private func state(root: Ref, collisions: Ref, tombstones: Ref) -> State {
        State(
            kind: kind, contentVersion: contentVersion, nextSequenceNumber: nextSequenceNumber,
            columnCounter: columnCounter, collisions: collisions, root: root,
            tombstones: tombstones, top: top)
    }
}
