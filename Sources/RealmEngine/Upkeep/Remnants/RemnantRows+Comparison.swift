/// Compares an old leaf with the objects that have the same keys in the newest version, column by
/// column.
extension RemnantRows {
    typealias Told = RemnantAgreement.Row

    /// Compares all columns of the old leaf with the newest version, and sets `told` and `differs`.
    ///
    /// - Parameters:
    ///   - columns: number of columns of the newest version. Columns with higher indexes were
    ///     removed.
    ///   - schema: schema with the classes to which the leaf may link.
    ///   - areSame: compares two values; returns nil if one of them cannot be read.
    mutating func compare(
        _ columns: Int, _ schema: Schema, areSame: (Value, Value) -> Bool?
    ) {
        told = piece.layout.positions.enumerated().map { column, now in
            now < columns ? compared(column, now, schema, areSame) : []
        }
        for column in told {
            for (row, told) in column.enumerated() where told == .different {
                differs[row] = true
            }
        }
    }

    /// Compares one column with the newest version. Returns the result for each row, or an empty
    /// array if the newest version has none of the leaf's objects.
    private func compared(
        _ column: Int, _ now: Int, _ schema: Schema, _ areSame: (Value, Value) -> Bool?
    ) -> [Told] {
        if leaves.isEmpty { return [] }
        var told = [Told](repeating: .unknown, count: others.count)
        var start = 0
        while start < others.count {
            let leaf = others[start].leaf
            var end = start + 1
            while end < others.count, others[end].leaf == leaf { end += 1 }
            if leaf >= 0 {
                compare(column, now, leaves[Int(leaf)], start..<end, &told, schema, areSame)
            }
            start = end
        }
        return told
    }

    /// Compares one column of this leaf with `near`, a leaf of the newest version, and stores the
    /// results in `told`.
    ///
    /// - Parameter rows: rows whose objects are all in `near`, or do not exist in the newest
    ///   version.
    private func compare(
        _ column: Int, _ now: Int, _ near: RemnantCells, _ rows: Range<Int>,
        _ told: inout [Told], _ schema: Schema, _ areSame: (Value, Value) -> Bool?
    ) {
        if cells.refs[column] == near.refs[now], rows.allSatisfy({ isInSameRow($0) }) {
            for row in rows where others[row].row >= 0 { told[row] = .equal }
            return
        }
        guard let a = cells.column(column), let b = near.column(now) else { return }
        switch (a, b) {
        case (.integer(let a), .integer(let b)):
            tell(rows, &told) { a.value($0) == b.value($1) }
        case (.nullableInteger(let a), .nullableInteger(let b)):
            tell(rows, &told) { a.value($0) == b.value($1) }
        case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)):
            tell(rows, &told) { Self.areSame(a, $0, b, $1) }
        default:
            tell(rows, &told) { row, other in
                if Self.haveSameRoot(a, row, b, other) { return true }
                guard let a = try? a.value(row), a.isReadable(schema),
                    let b = try? b.value(other)
                else { return nil }
                return areSame(a, b)
            }
        }
    }

    /// Whether two collections have the same root node.
    private static func haveSameRoot(
        _ a: ColumnLeaf, _ row: Int, _ b: ColumnLeaf, _ other: Int
    ) -> Bool {
        guard case .collection(let a) = a, case .collection(let b) = b, a.kind == b.kind,
            let root = try? a.leaf.root(row)
        else { return false }
        return root == (try? b.leaf.root(other))
    }

    private func isInSameRow(_ row: Int) -> Bool {
        others[row].row < 0 || Int(others[row].row) == row
    }

    @inline(__always)
    private func tell(
        _ rows: Range<Int>, _ told: inout [Told], _ areSame: (Int, Int) -> Bool?
    ) {
        for row in rows where others[row].row >= 0 {
            guard let isSame = areSame(row, Int(others[row].row)) else { continue }
            told[row] = isSame ? .equal : .different
        }
    }

    private static func areSame(_ a: BytesLeaf, _ i: Int, _ b: BytesLeaf, _ j: Int) -> Bool? {
        do throws(RealmError) {
            let (first, second) = (try a.value(i), try b.value(j))
            guard let first, let second else { return first == nil && second == nil }
            return first == second
        } catch { return nil }
    }
}
