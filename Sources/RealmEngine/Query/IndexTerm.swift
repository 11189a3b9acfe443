/// A term of a query that a search index answers.
struct IndexTerm {
    /// Of the class queried, or at the end of the path.
    let column: ColumnInfo
    let question: Question

    enum Question {
        /// Equality with any of these, which the test tells in full.
        case equal([Value], ColumnTest)
        /// Equality but for case.
        case folded(ByteView, ColumnTest)
        case words(FullTextTerms)
        /// A test of the objects linked to.
        case linked(PathTest, ColumnTest, TableInfo)
    }

    /// The index finds the term's objects, and not only objects that link to them.
    var isDirect: Bool {
        if case .linked = question { return false }
        return true
    }

    /// Nil when no index of `table` helps with `condition`.
    init?(_ condition: BoundCondition, _ table: TableInfo, _ schema: Schema) {
        switch condition {
        case .test(let test): self.init(test, table)
        case .fullText(let search): self.init(search, table)
        case .comparison(let comparison): self.init(comparison, schema)
        default: return nil
        }
    }

    /// A property against constants.
    init?(_ test: ColumnTest, _ table: TableInfo) {
        guard test.relation == .equal,
            let column = table.columns.first(where: { $0.leafIndex == test.column.leafIndex }),
            column.index == .general, column.collection == nil
        else { return nil }
        self.column = column
        if test.foldsCase {
            guard column.type == .string || column.type == .mixed else { return nil }
            switch test.operand {
            case .strict(.string(let text)), .general(.string(let text)):
                question = .folded(text, test)
            default: return nil
            }
            return
        }
        guard let values = Self.values(of: test, column) else { return nil }
        question = .equal(values, test)
    }

    private init?(_ search: BoundFullText, _ table: TableInfo) {
        guard search.path.hops.isEmpty, !search.terms.required.isEmpty,
            let column = table.columns.first(where: { $0.leafIndex == search.column.leafIndex }),
            column.index == .fullText
        else { return nil }
        self.column = column
        question = .words(search.terms)
    }

    /// A path to a property of the objects linked to, whatever the kinds of links.
    private init?(_ comparison: BoundComparison, _ schema: Schema) {
        guard comparison.relation == .equal, let path = PathTest(comparison),
            path.quantifier == .any, let test = path.test, !path.acceptsMissing(test),
            path.path.hops.allSatisfy({ $0.kind != .backlink }),
            let target = schema.table(path.path.table.key),
            let end = IndexTerm(test, target)
        else { return nil }
        column = end.column
        question = .linked(path, test, target)
    }

    // MARK: Values

    /// The values to look up, nil when an index would not find all objects.
    private static func values(of test: ColumnTest, _ column: ColumnInfo) -> [Value]? {
        let constants: [Value]
        switch test.operand {
        case .strict(let value), .general(let value): constants = [value]
        case .members(let members), .anyOf(let members): constants = members
        case .range: return nil
        }
        switch column.type {
        case .int, .bool, .string, .timestamp, .objectID, .uuid:
            let isFitting = constants.allSatisfy {
                let type = OperandType($0)
                return type == test.column.type || type == .null
            }
            return isFitting ? constants : nil
        case .mixed:
            var values: [Value] = []
            for constant in constants {
                guard let equal = mixedValues(equalTo: constant) else { return nil }
                values += equal
            }
            return values
        default: return nil
        }
    }

    /// Whole numbers with more digits are not the same to a float and a decimal.
    private static let exactNumbers = -9_999_999.0...9_999_999.0

    /// Values of different types are equal when they are the same number, but not all of them share
    /// an index string (object format 5.2).
    private static func mixedValues(equalTo value: Value) -> [Value]? {
        switch value {
        case .int(let number):
            var values = [value]
            guard Int32(exactly: number) == nil else { return values }
            if let double = Double(exactly: number) { values.append(.double(double)) }
            if let float = Float(exactly: number) { values.append(.float(float)) }
            return values
        case .double(let number): return wholeNumber(number)
        case .float(let number): return wholeNumber(Double(number))
        case .decimal, .list, .set, .dictionary: return nil
        default: return [value]
        }
    }

    private static func wholeNumber(_ number: Double) -> [Value]? {
        guard exactNumbers.contains(number), let whole = Int64(exactly: number) else { return nil }
        return [.int(whole)]
    }
}
