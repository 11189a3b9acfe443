/// Assigns numbers to the nodes that represent one table of an old file in the current format.
/// `LegacyNodes` builds these nodes when they are opened, and identifies each by its number.
struct LegacyPositions {
    enum What {
        case distinct(Int)
        case leaf(Int)
        case column(Int, Int)
        case inner(level: Int, Int)
    }

    let table: LegacyTable
    let first: Int
    let slots: Int
    /// For each level from the leaves to the root, the number that identifies its first node.
    private let levels: [Int]
    let count: Int

    private static let fanout = 256

    init(_ table: LegacyTable, first: Int) {
        (self.table, self.first, slots) = (table, first, table.leafSlots)
        var levels = [first + slots]
        var next = levels[0] + table.grid.vectors * (slots + 1)
        var nodes = table.grid.vectors
        while nodes > 1 {
            nodes = (nodes + Self.fanout - 1) / Self.fanout
            levels.append(next)
            next += nodes
        }
        self.levels = levels
        count = next - first
    }

    /// Returns the number (see `LegacyNodes`) of node `i` on a level of the cluster tree. On each
    /// level, `i` counts from 0; level 0 contains the leaves.
    func node(_ level: Int, _ i: Int) -> Int { levels[level] + i * (level == 0 ? slots + 1 : 1) }

    func column(_ vector: Int, _ slot: Int) -> Int { node(0, vector) + 1 + slot }

    var root: Int { levels[levels.count - 1] }

    /// Returns the number of nodes of the cluster tree on a level. Level 0 contains the leaves.
    private func size(_ level: Int) -> Int {
        (table.grid.vectors + vectors(below: level + 1) - 1) / vectors(below: level + 1)
    }

    /// Returns the number of cluster leaves below one child of a node on level `level`.
    func vectors(below level: Int) -> Int { 1 << (8 * (level - 1)) }

    /// Returns the indexes, on level `level - 1`, of the children of the node with index `i` on
    /// level `level`.
    func children(_ level: Int, _ i: Int) -> Range<Int> {
        i * Self.fanout..<min((i + 1) * Self.fanout, size(level - 1))
    }

    func what(_ number: Int) -> What {
        if number < levels[0] { return .distinct(number - first) }
        let level = levels.partitionPoint { $0 > number } - 1
        let i = number - levels[level]
        if level > 0 { return .inner(level: level, i) }
        let slot = i % (slots + 1)
        return slot == 0 ? .leaf(i / (slots + 1)) : .column(i / (slots + 1), slot - 1)
    }
}
