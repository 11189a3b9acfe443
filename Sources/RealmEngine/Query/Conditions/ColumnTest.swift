/// Test of a property of the queried object against constants, evaluated by kernels: loops over
/// packed leaves. `matches` defines the result for a single value (query language 8 to 10 and 12).
final class ColumnTest: Sendable {
    let column: BoundColumn
    /// Range of the comparison in the query text, for error messages and explanations.
    let range: SourceRange
    let relation: QueryRelation
    let folding: TextFolding
    let operand: Operand
    /// Parsed regular expression of MATCHES; nil for other relations.
    let pattern: RegularExpression?
    /// The constants of a long IN list in sorted order, for values that are tested one by one; nil
    /// if the list is short or cannot be sorted.
    private let sorted: SortedMembers?

    init(
        column: BoundColumn, range: SourceRange, relation: QueryRelation,
        folding: TextFolding = .none, operand: Operand, pattern: RegularExpression? = nil
    ) {
        self.column = column
        self.range = range
        self.relation = relation
        self.folding = folding
        self.pattern = pattern
        self.operand = operand
        switch operand {
        case .members(let members), .anyOf(let members):
            let isCompared = column.type == .decimal || column.type == .mixed
            sorted = isCompared && folding.isNone ? SortedMembers(members) : nil
        case .strict, .general, .range: sorted = nil
        }
    }

    /// Whether the value is a text that has no character with upper and lower case, for example a
    /// text of digits.
    static func isCaseless(_ value: Value) -> Bool {
        guard case .string(let text) = value, text.count > 0 else { return false }
        return text.buffer.allSatisfy { $0 < 0x80 && ($0 | 0x20) &- 0x61 >= 26 }
    }

    /// Whether case folding compares characters. False if the constant is not valid UTF-8, so that
    /// only its bytes can be compared (query language 14).
    var foldsWholeCharacters: Bool {
        guard !folding.isNone, column.type == .string else { return true }
        switch operand {
        case .strict(.string(let text)), .general(.string(let text)):
            return text.isASCII || String(validating: text.buffer, as: UTF8.self) != nil
        default: return true
        }
    }

    enum Operand: Sendable {
        /// A constant of exactly the property's type, compared by the type's own rules.
        case strict(Value)
        /// A constant whose type is not exactly the property's type. It is compared by the rules
        /// for values of different types.
        case general(Value)
        /// IN with a list of constants. Elements of other types than the property's were removed.
        case members([Value])
        /// IN with a list of constants of various types. The value is compared with each constant
        /// by the rules for values of different types.
        case anyOf([Value])
        /// BETWEEN: true for values from `low` to `high`, including both. Never true for null.
        case range(Value, Value)
    }

    func matches(_ value: Value) -> Bool {
        if let pattern { return pattern.matches(value) }
        switch operand {
        case .strict(let constant): return holdsStrictly(value, constant)
        case .general(let constant):
            return ValueRules.matches(relation, value, constant, folding: folding)
        case .members(let members):
            if let found = sorted?.contains(value) { return found }
            for member in members where equalsStrictly(value, member) { return true }
            return false
        case .anyOf(let values):
            if let found = sorted?.contains(value) { return found }
            for other in values where ValueRules.areEqual(value, other, folding: folding) {
                return true
            }
            return false
        case .range(let low, let high):
            if case .null = value { return false }
            return ValueRules.matches(.greaterEqual, value, low, folding: .none)
                && ValueRules.matches(.lessEqual, value, high, folding: .none)
        }
    }

    private func equalsStrictly(_ value: Value, _ member: Value) -> Bool {
        if ValueRules.isNaN(value), !isDecimal(value) { return false }
        return ValueRules.areEqual(value, member, folding: folding)
    }

    private func isDecimal(_ value: Value) -> Bool {
        if case .decimal = value { return true }
        return false
    }

    private func holdsStrictly(_ value: Value, _ constant: Value) -> Bool {
        switch column.layout.type {
        case .float, .double: return holdsByIEEE(value, constant)
        case .string, .binary: return holdsForText(value, constant)
        default: return ValueRules.matches(relation, value, constant, folding: folding)
        }
    }

    /// Compares as IEEE 754 does: NaN equals nothing and is unordered.
    private func holdsByIEEE(_ value: Value, _ constant: Value) -> Bool {
        if ValueRules.isNaN(value) || ValueRules.isNaN(constant) { return relation == .notEqual }
        return ValueRules.matches(relation, value, constant, folding: .none)
    }

    /// Compares texts. For `<` and `>`, null is below every string. For BEGINSWITH, ENDSWITH and
    /// CONTAINS, every value matches a null constant.
    private func holdsForText(_ value: Value, _ constant: Value) -> Bool {
        switch relation {
        case .less, .lessEqual, .greater, .greaterEqual:
            guard column.layout.type == .string else { break }
            return ValueRules.accepts(relation, ValueRules.compare(value, constant))
        case .beginsWith, .endsWith, .contains:
            if case .null = constant { return true }
        default: break
        }
        return ValueRules.matches(relation, value, constant, folding: folding)
    }
}
