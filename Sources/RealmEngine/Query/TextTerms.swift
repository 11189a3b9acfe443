/// A string or binary column against a constant. Whole leaves are tested where the form allows;
/// an enumerated column's values are tested once each.
final class TextTerm: QueryTerm {
    private let test: ColumnTest
    private let matchesNull: Bool
    private let way: Way
    private var distinct = DistinctAnswers()

    private enum Way {
        /// Equality with one text; `isNegated` for inequality.
        case equal(ByteView, isNegated: Bool)
        case contains(Needle)
        case begins(Needle)
        case ends(Needle)
        /// Text by text.
        case general
    }

    init(_ test: ColumnTest) {
        self.test = test
        matchesNull = test.holds(.null)
        way = Self.way(of: test)
    }

    private static func way(of test: ColumnTest) -> Way {
        let constant: Value
        switch test.operand {
        case .strict(let value), .general(let value): constant = value
        case .members(let members), .anyOf(let members):
            let texts = members.filter { if case .null = $0 { false } else { true } }
            guard texts.count == 1 else { return .general }
            constant = texts[0]
        case .range: return .general
        }
        let text: ByteView
        switch (constant, test.column.layout.type) {
        case (.string(let view), .string), (.binary(let view), .binary): text = view
        default: return .general
        }
        switch test.relation {
        case .equal, .in: return test.foldsCase ? .general : .equal(text, isNegated: false)
        case .notEqual: return test.foldsCase ? .general : .equal(text, isNegated: true)
        case .contains where text.count > 0:
            return .contains(Needle(text, folds: test.foldsCase))
        case .beginsWith: return .begins(Needle(text, folds: test.foldsCase))
        case .endsWith: return .ends(Needle(text, folds: test.foldsCase))
        default: return .general
        }
    }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let layout = test.column.layout
        let ref = try leaf.columnRef(test.column.leafIndex)
        let column =
            layout.type == .string
            ? try BytesLeaf(strings: leaf.space, ref, distinct: layout.distinct)
            : try BytesLeaf(binaries: leaf.space, ref)
        guard column.count == leaf.count else { throw leaf.unevenColumn(test.column.leafIndex) }
        if column.form == .enumerated { return try matchDistinct(column, among) }
        switch way {
        case .equal(let text, let isNegated):
            return try matchEqual(column, text, isNegated, among)
        case .contains(let needle): return try matchContaining(column, needle, among)
        case .begins(let needle):
            return try matchTexts(column, among, needle) { (text, search) in
                text.count >= search.count && search.matches(text.base)
            }
        case .ends(let needle):
            return try matchTexts(column, among, needle) { (text, search) in
                text.count >= search.count
                    && search.matches(text.base + (text.count &- search.count))
            }
        case .general:
            return try among.filter { (row) throws(RealmError) in
                try holds(column, row)
            }
        }
    }

    private func holds(_ column: BytesLeaf, _ row: Int) throws(RealmError) -> Bool {
        guard let text = try column.value(row) else { return matchesNull }
        return test.holds(test.column.layout.type == .string ? .string(text) : .binary(text))
    }

    /// A test of each text that is not null.
    @inline(__always)
    private func matchTexts(
        _ column: BytesLeaf, _ among: Selection, _ needle: Needle,
        _ body: (ByteView, NeedleSearch) -> Bool
    ) throws(RealmError) -> Selection {
        var failure: RealmError?
        let rows = needle.withSearch { search in
            do throws(RealmError) {
                return try among.filter { (row) throws(RealmError) in
                    guard let text = try column.value(row) else { return matchesNull }
                    return body(text, search)
                }
            } catch {
                failure = error
                return .none
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func matchEqual(
        _ column: BytesLeaf, _ text: ByteView, _ isNegated: Bool, _ among: Selection
    ) throws(RealmError) -> Selection {
        var rows: Selection
        switch column.form {
        case .short:
            rows = .none
            let width = column.node.width
            if text.count < width {
                rows = TextKernels.rows(
                    column.node.payload, width: width, count: column.count,
                    equalTo: TextKernels.cell(text, width: width))
            }
        case .medium:
            let alike = TextKernels.rows(
                column.node, terminator: column.terminator, length: text.count)
            rows = try (alike & among).filter { (row) throws(RealmError) in
                guard let value = try column.value(row) else { return false }
                return value == text
            }
        case .big, .enumerated:
            rows = try among.filter { (row) throws(RealmError) in
                guard let value = try column.value(row) else { return false }
                return value == text
            }
        }
        if isNegated { rows = among.subtracting(rows) }
        if isNegated != matchesNull {
            // Nulls are on the wrong side.
            let nulls = try self.nulls(column, among)
            rows = matchesNull ? rows | nulls : rows.subtracting(nulls)
        }
        return rows & among
    }

    private func nulls(
        _ column: BytesLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        try among.filter { (row) throws(RealmError) in try column.value(row) == nil }
    }

    private func matchContaining(
        _ column: BytesLeaf, _ needle: Needle, _ among: Selection
    ) throws(RealmError) -> Selection {
        // With few rows left, or texts spread over blobs, each is searched by itself.
        guard !matchesNull, column.form != .big, among.count > 16 else {
            return try matchTexts(column, among, needle) { (text, search) in
                search.first(text.base, from: 0, to: text.count) != nil
            }
        }
        if column.form == .short {
            let width = column.node.width
            if width == 0 { return .none }
            return needle.withSearch {
                TextKernels.rows(
                    column.node.payload, width: width, count: column.count, containing: $0)
            } & among
        }
        let rows = needle.withSearch {
            TextKernels.rows(
                column.area, column.node, terminator: column.terminator, containing: $0)
        }
        guard let rows else { throw column.damagedOffsets() }
        // A null occupies a place of its own in the area; what stands there is no text.
        return try (rows & among).filter { (row) throws(RealmError) in
            try column.value(row) != nil
        }
    }

    private func matchDistinct(
        _ column: BytesLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if !distinct.isFilled {
            try distinct.fill(column) { (text) throws(RealmError) in
                guard let text else { return matchesNull }
                return test.holds(
                    test.column.layout.type == .string ? .string(text) : .binary(text))
            }
        }
        return try among.filter { (row) throws(RealmError) in
            let index = column.node.integer(row)
            guard let answer = distinct[index] else { throw column.damagedOffsets() }
            return answer
        }
    }
}

/// What a test says of each distinct value of an enumerated column.
private struct DistinctAnswers {
    private var answers: [Bool] = []
    private(set) var isFilled = false

    mutating func fill(
        _ column: BytesLeaf, _ test: (ByteView?) throws(RealmError) -> Bool
    ) throws(RealmError) {
        let values = try column.distinctValues()
        for i in 0..<values.count { answers.append(try test(values.value(i))) }
        isFilled = true
    }

    subscript(index: Int64) -> Bool? {
        index >= 0 && index < Int64(answers.count) ? answers[Int(index)] : nil
    }
}
