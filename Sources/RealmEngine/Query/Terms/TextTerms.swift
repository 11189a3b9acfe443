/// Tests a string or binary column against constants. Searches all texts of a leaf in one pass
/// where the format of the leaf allows that. Tests each distinct value of an enumerated column
/// once.
final class TextTerm: QueryTerm {
    private let test: ColumnTest
    private let isString: Bool
    private let matchesNull: Bool
    private let way: Way
    private var distinct = DictionaryPredicate()
    private var stored = CellCache()
    private let scratch = LeafScratch()
    private var cells: ColumnCells<BytesLeaf>
    /// Folding for texts that are not ASCII: they may match although their bytes differ, so they
    /// are also tested one by one. Nil if comparing bytes is sufficient.
    private let folding: TextFolding?
    private let matcher: ExpressionMatcher?

    private enum Way {
        /// Equality with one of a few texts, or inequality if `isNegated`.
        case equal([Needle], isNegated: Bool)
        /// Equality with one of many texts, found by hash.
        case among(TextMembers)
        case contains(Needle)
        case begins(Needle)
        case ends(Needle)
        case like(LikePattern)
        /// Comparisons with `<`, `<=`, `>` or `>=`: one, or both limits of BETWEEN.
        case ordered([(QueryRelation, TextOrder)])
        case expression
        /// Tests each text separately. Used for comparisons that cannot search a whole leaf at
        /// once.
        case general
    }

    override var label: String {
        switch way {
        case .equal: "equal texts, whole leaves"
        case .contains: "search for a part, whole leaves"
        case .begins: "beginnings, whole leaves"
        case .among: "equal texts, by their hash"
        case .ordered: "order of texts, whole leaves"
        case .expression: "regular expression, text by text"
        case .ends, .like, .general: "text by text"
        }
    }

    /// Maximum length of an IN list whose texts are compared one by one; the texts of a longer list
    /// are hashed.
    private static let maximumMembers = 8

    init(_ test: ColumnTest) {
        self.test = test
        cells = ColumnCells(test.column)
        isString = test.column.layout.type == .string
        matchesNull = test.matches(.null)
        folding = test.folding.isBytewise || !isString ? nil : test.folding
        matcher = test.pattern?.matcher()
        way = test.pattern == nil ? Self.way(of: test) : .expression
    }

    private static func way(of test: ColumnTest) -> Way {
        let constants: [Value]
        switch test.operand {
        case .strict(let value), .general(let value): constants = [value]
        case .members(let members), .anyOf(let members): constants = members
        case .range(let low, let high):
            guard let low = text(low, test), let high = text(high, test) else { return .general }
            return .ordered([
                (.greaterEqual, TextOrder(low)), (.lessEqual, TextOrder(high)),
            ])
        }
        var texts: [ByteView] = []
        for constant in constants {
            if let text = text(constant, test) { texts.append(text) }
        }
        guard let text = texts.first else { return .general }
        if texts.count > maximumMembers {
            return test.relation == .equal && test.folding.isNone
                ? .among(TextMembers(texts)) : .general
        }
        let needle = Self.needle(text, test)
        switch test.relation {
        case .less, .lessEqual, .greater, .greaterEqual:
            return texts.count == 1 ? .ordered([(test.relation, TextOrder(text))]) : .general
        case .equal, .in, .notEqual:
            return .equal(
                texts.map { Self.needle($0, test) },
                isNegated: test.relation == .notEqual)
        case .contains where text.count > 0: return .contains(needle)
        case .beginsWith where text.count > 0: return .begins(needle)
        case .endsWith: return .ends(needle)
        case .like:
            return test.folding.withFolded(text) {
                LikePattern($0, folds: test.folding.foldsCase).map { .like($0) } ?? .general
            }
        default: return .general
        }
    }

    private static func needle(_ text: ByteView, _ test: ColumnTest) -> Needle {
        test.folding.withFolded(text) { Needle($0, folds: test.folding.foldsCase) }
    }

    /// Returns the bytes of a constant if it has the column's type; nil for other types.
    private static func text(_ constant: Value, _ test: ColumnTest) -> ByteView? {
        switch (constant, test.column.layout.type) {
        case (.string(let view), .string), (.binary(let view), .binary): view
        default: nil
        }
    }

    override func attach(_ directory: LeafDirectory) { cells.attach(directory) }

    override func match(
        _ leaf: ClusterLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        let column = try cells.leaf(leaf)
        cells.next(leaf)?.pointee.prefetch()
        if column.form == .enumerated { return try matchDistinct(column, among) }
        let rows = try matchWay(column, among)
        if case .equal = way { return rows }
        return try rows | beyondASCII(column, among.subtracting(rows)) { matches($0) }
    }

    /// Returns the rows whose texts are not ASCII and match by case folding, although their bytes
    /// do not match.
    private func beyondASCII(
        _ column: BytesLeaf, _ among: Selection, _ isMatch: (ByteView?) -> Bool
    ) throws(RealmError) -> Selection {
        guard folding != nil, !among.isEmpty, !column.isASCII else { return .none }
        return try among.filter { (row) throws(RealmError) in
            guard let text = try column.value(row), !text.isASCII else { return false }
            return isMatch(text)
        }
    }

    private func matchWay(
        _ column: BytesLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        switch way {
        case .equal(let needles, let isNegated):
            return try matchEqual(column, needles, isNegated, among)
        case .contains(let needle): return try matchContaining(column, needle, among)
        case .begins(let needle): return try matchBeginning(column, needle, among)
        case .ends(let needle):
            return try matchTexts(column, among, needle) { (text, search) in
                text.count >= search.count
                    && search.matches(text.base + (text.count &- search.count))
            }
        case .like(let pattern):
            return try candidates(pattern, column, among).filter { (row) throws(RealmError) in
                guard let text = try column.value(row) else { return matchesNull }
                return pattern.matches(text)
            }
        case .among(let members):
            return try among.filter { (row) throws(RealmError) in
                guard let text = try column.value(row) else { return matchesNull }
                return members.contains(text)
            }
        case .ordered(let limits):
            var rows = among
            for (relation, order) in limits where !rows.isEmpty {
                rows = try matchOrdered(column, relation, order, rows)
            }
            return rows
        case .expression:
            guard let matcher else { return .none }
            return try among.filter { (row) throws(RealmError) in
                guard let text = try column.value(row) else { return matchesNull }
                return matcher.matches(text.buffer)
            }
        case .general:
            return try among.filter { (row) throws(RealmError) in
                try matches(column.value(row))
            }
        }
    }

    /// Returns the rows whose texts may match the pattern: they begin with its prefix or contain
    /// its longest part. The caller must test these rows in full.
    private func candidates(
        _ pattern: LikePattern, _ column: BytesLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if matchesNull { return among }
        if pattern.start.count > 0 { return try matchBeginning(column, pattern.start, among) }
        if let part = pattern.part { return try matchContaining(column, part, among) }
        return among
    }

    private func matches(_ text: ByteView?) -> Bool {
        guard let text else { return matchesNull }
        return test.matches(isString ? .string(text) : .binary(text))
    }

    /// Returns the rows of `among` whose texts pass `body`; null rows do not match.
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

    /// Searches the texts of a whole leaf in one pass. Only for leaves of medium form, whose texts
    /// are adjacent in one byte area.
    @inline(__always)
    private func matchArea(
        _ column: BytesLeaf, _ needle: Needle, _ body: (TextArea, NeedleSearch) -> Selection?
    ) throws(RealmError) -> Selection {
        let area = TextArea(column.area, column.node, terminator: column.terminator, scratch)
        let rows = needle.withSearch { body(area, $0) }
        guard let rows else { throw column.damagedOffsets() }
        return rows
    }

    // MARK: Equality

    private func matchEqual(
        _ column: BytesLeaf, _ needles: [Needle], _ isNegated: Bool, _ among: Selection
    ) throws(RealmError) -> Selection {
        var rows = Selection.none
        if column.form == .short { stored.fill(needles, width: column.node.width) }
        for i in needles.indices {
            rows = rows | (try matchEqual(column, needles[i], stored[i], among))
        }
        rows =
            rows | (try beyondASCII(column, among.subtracting(rows)) { matches($0) != isNegated })
        rows = isNegated ? among.subtracting(rows) : rows & among
        // A null row counts as unequal to the constants so far. Correct this if null must match.
        if isNegated == matchesNull { return rows }
        let nulls = try among.filter { (row) throws(RealmError) in try column.value(row) == nil }
        return matchesNull ? rows | nulls : rows.subtracting(nulls)
    }

    private func matchEqual(
        _ column: BytesLeaf, _ needle: Needle, _ cell: TextCell?, _ among: Selection
    ) throws(RealmError) -> Selection {
        switch column.form {
        case .short:
            guard let cell else { return .none }
            return TextKernels.rows(
                column.node.payload, width: column.node.width, count: column.count, equalTo: cell)
        case .medium:
            let rows = try matchArea(column, needle) { $0.rows(equalTo: $1) }
            // A null row stores the same bytes as an empty text, so remove null rows.
            if needle.count > 0 { return rows }
            return try rows.filter { (row) throws(RealmError) in try column.value(row) != nil }
        case .big, .enumerated:
            var failure: RealmError?
            let rows = needle.withSearch { search in
                do throws(RealmError) {
                    return try among.filter { (row) throws(RealmError) in
                        guard let text = try column.value(row) else { return false }
                        return text.count == search.count && search.matches(text.base)
                    }
                } catch {
                    failure = error
                    return .none
                }
            }
            if let failure { throw failure }
            return rows
        }
    }

    // MARK: Substrings

    private func matchContaining(
        _ column: BytesLeaf, _ needle: Needle, _ among: Selection
    ) throws(RealmError) -> Selection {
        // If the rows are few, or each text is a separate node, search text by text.
        guard !matchesNull, column.form != .big, among.count > Self.maximumRowByRow else {
            return try matchTexts(column, among, needle) { (text, search) in
                search.first(text.base, from: 0, to: text.count) != nil
            }
        }
        if column.form == .medium {
            return try matchArea(column, needle) { $0.rows(containing: $1) } & among
        }
        let width = column.node.width
        if width == 0 { return .none }
        return needle.withSearch {
            TextKernels.rows(
                column.node.payload, width: width, count: column.count, containing: $0)
        } & among
    }

    private func matchBeginning(
        _ column: BytesLeaf, _ needle: Needle, _ among: Selection
    ) throws(RealmError) -> Selection {
        if !matchesNull, among.count > Self.maximumRowByRow {
            if column.form == .medium {
                return try matchArea(column, needle) { $0.rows(beginningWith: $1) } & among
            }
            if column.form == .short, column.node.width >= 8 {
                return needle.withSearch {
                    TextKernels.rows(
                        column.node.payload, width: column.node.width, count: column.count,
                        beginningWith: $0)
                } & among
            }
        }
        return try matchTexts(column, among, needle) { (text, search) in
            text.count >= search.count && search.matches(text.base)
        }
    }

    // MARK: Order

    private func matchOrdered(
        _ column: BytesLeaf, _ relation: QueryRelation, _ order: TextOrder, _ among: Selection
    ) throws(RealmError) -> Selection {
        let heads = among.count <= Self.maximumRowByRow ? nil : try heads(column, order)
        let decided =
            switch relation {
            case .less, .lessEqual: heads?.below
            default: heads?.above
            }
        let rest = try (among & (heads?.unsure ?? .all)).filter { (row) throws(RealmError) in
            guard let text = try column.value(row) else { return matchesNull }
            return ValueRules.accepts(relation, ByteView.compare(text, order.text))
        }
        return (decided ?? .none) & among | rest
    }

    /// Maximum number of selected rows of a leaf whose texts are compared one by one. For more
    /// rows, the whole leaf is searched at once.
    private static let maximumRowByRow = 16

    /// Compares the text in each row of a leaf with the constant of `<` or `>`, by their first
    /// eight bytes. Nil if the leaf stores its texts in a form that this comparison cannot use:
    /// texts of less than 4 bytes, texts in nodes of their own, and enumerated texts.
    private func heads(
        _ column: BytesLeaf, _ order: TextOrder
    ) throws(RealmError) -> TextOrder.Heads? {
        switch column.form {
        case .short where column.node.width >= 4:
            return order.heads(
                column.node.payload, width: column.node.width, count: column.count,
                mayBeNull: test.column.layout.isNullable)
        case .medium:
            let area = TextArea(
                column.area, column.node, terminator: column.terminator, scratch)
            guard let heads = area.heads(order, nulls: column.nullRows) else {
                throw column.damagedOffsets()
            }
            return heads
        default: return nil
        }
    }

    // MARK: Enumerated columns

    private func matchDistinct(
        _ column: BytesLeaf, _ among: Selection
    ) throws(RealmError) -> Selection {
        if !distinct.isFilled { try distinct.fill(column) { matches($0) } }
        guard let rows = distinct.rows(column.node) else { throw column.damagedOffsets() }
        return rows & among
    }
}

/// The constants as cells: padded to the width in which a leaf of short texts stores its texts.
/// Cached for the width of the leaf tested last, because adjacent leaves usually have the same
/// width.
private struct CellCache {
    private var width = -1
    private var cells: [TextCell?] = []

    mutating func fill(_ needles: [Needle], width: Int) {
        if width == self.width { return }
        self.width = width
        cells = needles.map { $0.cell(width: width) }
    }

    subscript(i: Int) -> TextCell? { i < cells.count ? cells[i] : nil }
}
