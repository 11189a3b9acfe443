/// A cluster leaf that was found in the file and that no readable version uses.
struct RemnantLeaf {
    /// Damage of a column or of one value, found by checks. Higher raw values are worse.
    enum Fault: UInt8 {
        case none
        /// The column or value may belong to another leaf: two leaves refer to the same node, and
        /// they cannot share it.
        case doubtful
        /// The column or value does not exist, has another form, or was overwritten.
        case missing
    }

    struct Cell: Hashable {
        let column: Int
        let row: Int
    }

    let ref: Ref
    /// Base of the leaf, to which its keys are relative; nil if it could not be determined.
    var base: UInt64?
    /// Index of the leaf's class in `RemnantSearch.subjects`, and index of the leaf's layout in
    /// `RemnantSubject.layouts` of this class.
    let subject: Int
    let layout: Int
    /// Whether leaves of another class have the same form and nothing shows to which class this
    /// leaf belongs.
    var isAmbiguous: Bool
    /// Damage of each column, as a whole.
    var faults: [Fault]
    /// Damage of single values. The damage of a value is the worse one of its entry here and of its
    /// column's entry in `faults`.
    var cells: [Cell: Fault] = [:]
    /// Whether the leaf has columns that its layout does not have.
    var hasUnknownColumns = false
    /// Columns whose slot in the leaf may have belonged to a column that was removed. They are
    /// doubtful unless their values agree with the newest version.
    var unprovenColumns: Set<Int> = []

    /// Records damage of a column, or, if `row` is not nil, of the column's value in this row.
    /// Worse damage replaces damage recorded before.
    mutating func raise(_ fault: Fault, column: Int, row: Int?) {
        guard let row else {
            if faults[column].rawValue < fault.rawValue { faults[column] = fault }
            return
        }
        let cell = Cell(column: column, row: row)
        if cells[cell, default: .none].rawValue < fault.rawValue { cells[cell] = fault }
    }
}

/// The columns that a table had in some version, and thus the form of its leaves.
struct RemnantLayout {
    let info: TableInfo
    /// For each column of this layout, its index in `RemnantSubject.shown`, which has all columns
    /// that the class has or had.
    let positions: [Int]
    /// Number of slots of a cluster leaf with this layout.
    let slots: Int
    /// Slots that this layout uses: for the keys, the columns and the backlinks.
    private let used: Set<Int>

    init(_ info: TableInfo, positions: [Int]) {
        (self.info, self.positions) = (info, positions)
        slots = info.leafSlots
        used = Set(
            [0] + info.columns.map { $0.leafIndex + 1 } + info.backlinks.map { $0.leafIndex + 1 })
    }

    /// Returns the number of non-empty slots of `leaf` that this layout does not use, plus the
    /// number of slots that the leaf lacks.
    func unknownSlots(of leaf: ClusterLeaf) -> Int {
        let unknown = (1..<leaf.node.count).count {
            !used.contains($0) && !leaf.node.slot($0).isNone
        }
        return unknown + max(0, slots - leaf.node.count)
    }
}

/// A class whose old objects are searched, with all layouts that its leaves may have.
final class RemnantSubject {
    /// The table as in the newest version; for a class that was removed, as in the last version
    /// that was found.
    let info: TableInfo
    /// Whether the newest version does not have the class.
    let isOrphan: Bool
    /// Layouts of the leaves. The layout of the newest version is first.
    private(set) var layouts: [RemnantLayout] = []
    /// The class's table with all columns that it has or had. Removed columns follow the present
    /// ones.
    private(set) var shown: TableInfo

    init(_ info: TableInfo, isOrphan: Bool) {
        (self.info, self.isOrphan) = (info, isOrphan)
        shown = info
        add(info)
    }

    private static let maximumLayoutCount = 16

    /// Returns the index of the layout with the same columns as `other`; nil if there is none.
    func layout(of other: TableInfo) -> Int? {
        let (keys, backlinks) = (other.columns.map(\.key), other.backlinks.map(\.key))
        return layouts.firstIndex {
            $0.info.columns.map(\.key) == keys && $0.info.backlinks.map(\.key) == backlinks
        }
    }

    /// Returns the layout for the table of another version, and adds the layout and its columns if
    /// they are new.
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

    /// Returns `name`, or `name` with a number if a column already has the name (`age`, then
    /// `age~1`). A removed property and its replacement with another type have the same name.
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
    /// Returns this table with other columns.
    fileprivate func with(_ columns: [ColumnInfo]) -> TableInfo {
        TableInfo(
            key: key, name: name, columns: columns, backlinks: backlinks, primaryKey: primaryKey,
            origin: origin, state(root: root, collisions: collisions, tombstones: tombstones))
    }

    /// Returns this table without trees of objects, as the table of a removed class: its objects
    /// are only read leaf by leaf.
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
