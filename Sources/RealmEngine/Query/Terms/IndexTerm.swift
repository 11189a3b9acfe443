/// A condition of a query, or a term of its AND, that can be evaluated with a search index.
struct IndexTerm: Sendable {
    /// The class that has the index: the queried class, or the class at the end of a path.
    let table: TableInfo
    /// Position in `table.columns` of the property whose index is used.
    let place: Int
    let question: Question

    var column: ColumnInfo { table.columns[place] }

    enum Question: Sendable {
        /// Equality with any of these values. If the property is mixed, the objects found must also
        /// pass the test.
        case equal(SmallArray<Value>, ColumnTest)
        /// Equality of a text with a constant, ignoring case.
        case folded(ByteView, ColumnTest)
        case words(FullTextTerms)
        /// A test of the objects at the end of a path. An index finds these objects; backlinks then
        /// lead to the queried objects.
        case linked(PathTest, ColumnTest, TableInfo)
    }

    /// Whether the index belongs to the queried class. False if it belongs to the class at the end
    /// of a path.
    var isDirect: Bool {
        if case .linked = question { return false }
        return true
    }

    /// Nil if no index of `table` helps with `condition`.
    init?(_ condition: BoundCondition, _ table: TableInfo, _ schema: Schema) {
        switch condition {
        case .test(let test): self.init(test, table)
        case .fullText(let search): self.init(search, table)
        case .comparison(let comparison): self.init(comparison, schema)
        default: return nil
        }
    }

    /// Makes the term for a test of a property with an index; nil if the index cannot be used for
    /// the test.
    init?(_ test: ColumnTest, _ table: TableInfo) {
        guard let place = Self.place(of: test, table) else { return nil }
        let column = table.columns[place]
        self.table = table
        self.place = place
        if !test.folding.isNone {
            // An index folds case only as the SDKs' `[c]` does, so no other folding can use an
            // index.
            guard test.folding.isBytewise, column.type == .string || column.type == .mixed else {
                return nil
            }
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

    /// Returns the position in `table.columns` of the tested property, if the test is for equality
    /// and the property has a search index; otherwise nil.
    static func place(of test: ColumnTest, _ table: TableInfo) -> Int? {
        guard test.relation == .equal else { return nil }
        // Compares fields in place. A copy of the column's description would retain its name.
        for i in table.columns.indices
        where table.columns[i].leafIndex == test.column.leafIndex
            && table.columns[i].index == .general && table.columns[i].collection == nil
        { return i }
        return nil
    }

    private init?(_ search: BoundFullText, _ table: TableInfo) {
        guard search.path.hops.isEmpty, !search.terms.required.isEmpty,
            let place = table.columns.firstIndex(where: {
                $0.leafIndex == search.column.leafIndex
            }),
            table.columns[place].index == .fullText
        else { return nil }
        self.table = table
        self.place = place
        question = .words(search.terms)
    }

    /// Makes the index term for a path whose last property is indexed in the class of the linked
    /// objects.
    private init?(_ comparison: BoundComparison, _ schema: Schema) {
        guard comparison.relation == .equal, let path = PathTest(comparison),
            path.quantifier == .any, let test = path.test, !path.acceptsMissing(test),
            path.path.hops.allSatisfy({ $0.kind != .backlink }),
            let target = schema.table(path.path.table.key),
            let end = IndexTerm(test, target)
        else { return nil }
        place = end.place
        table = target
        question = .linked(path, test, target)
    }

    // MARK: Values

    /// Returns the values that must be looked up in the index to find all objects that match the
    /// test. Nil if looking up values cannot find all of them.
    private static func values(of test: ColumnTest, _ column: ColumnInfo) -> SmallArray<Value>? {
        let constants: SmallArray<Value>
        switch test.operand {
        case .strict(let value), .general(let value): constants = SmallArray(value)
        case .members(let members), .anyOf(let members): constants = SmallArray(members)
        case .range: return nil
        }
        guard column.type == .mixed else {
            let isFitting = constants.allSatisfy {
                let type = OperandType($0)
                return type == test.column.type || type == .null
            }
            return column.type.mayBeIndexed && isFitting ? constants : nil
        }
        var values: [Value] = []
        for constant in constants {
            guard let equal = mixedValues(equalTo: constant) else { return nil }
            values += equal
        }
        return SmallArray(values)
    }

    /// Returns all numbers of other numeric types that equal `value`, and `value` itself. The index
    /// of a mixed property may store equal numbers of different types under different strings, and
    /// each must be looked up (object format 5.2). Nil if there are too many.
    private static func mixedValues(equalTo value: Value) -> [Value]? {
        switch value {
        case .int(let number):
            return Int32(exactly: number) != nil ? [value] : [value] + binaries(equalTo: number)
        case .double(let number):
            guard let rounded = decimal(Decimal128(number)) else { return nil }
            return [value, rounded] + whole(number)
                + (Float(exactly: number).map { [.float($0)] } ?? [])
        case .float(let number):
            guard let rounded = decimal(Decimal128(number)) else { return nil }
            return [value, rounded, .double(Double(number))] + whole(Double(number))
        case .decimal(let number):
            guard let rounded = decimal(number), let binaries = binaries(equalTo: value) else {
                return nil
            }
            return [rounded] + binaries
        case .list, .set, .dictionary: return nil
        default: return [value]
        }
    }

    private static func binaries(equalTo number: Int64) -> [Value] {
        let double = Double(exactly: number).map { [Value.double($0)] } ?? []
        return double + (Float(exactly: number).map { [Value.float($0)] } ?? [])
    }

    private static func whole(_ number: Double) -> [Value] {
        Int64(exactly: number).map { [.int($0)] } ?? []
    }

    /// Returns the integer part of a decimal that is within the range of 64-bit integers. A search
    /// index stores the decimal under the key of this integer part. Nil for a decimal outside this
    /// range, which a search index may store under several keys.
    private static func decimal(_ number: Decimal128) -> Value? {
        number.truncatedToInt64.map(Value.int)
    }

    /// Maximum number of doubles that round to the same decimal digits as a given decimal.
    private static let maximumRounded = 128

    /// Returns the doubles and floats that equal `value`, when each is rounded to as many decimal
    /// digits as its type has. Nil if there are too many.
    private static func binaries(equalTo value: Value) -> [Value]? {
        var values: [Value] = []
        for isFloat in [false, true] {
            for range in TestBounds.doubles(equalTo: value, isFloat: isFloat) {
                var number = range.low
                while number <= range.high {
                    values.append(isFloat ? .float(Float(number)) : .double(number))
                    number = isFloat ? Double(Float(number).nextUp) : number.nextUp
                    if values.count > maximumRounded { return nil }
                }
            }
        }
        return values
    }
}
