/// An aggregate function: one row of the table that defines the functions for the query language,
/// the tools, `RealmSwift`, help and manual. The rows are in `AggregateFunction+Table.swift`.
public final class AggregateFunction: Sendable {
    /// Name of the function in the options of the tools, such as `avg`.
    public let name: String
    /// Name of the function in messages, such as `average`.
    public let title: String
    /// Operators of the query language and of key paths, such as `@avg`; empty if there are none.
    public let operators: [StaticString]
    public let argument: Argument
    /// Description of the result in a few words, for the manual.
    public let summary: String
    package let operands: Operands
    /// Returns the type of the function's result, given the type of the values.
    let resultType: @Sendable (OperandType) -> OperandType
    let nan: NaNRule
    let computation: Computation

    /// Operand that the function has in the option `--aggregate` of the tools.
    public enum Argument: Sendable {
        /// No operand, as in `count`, which counts objects.
        case none
        /// One property: `sum(P)`
        case property
        /// A property whose distinct values are counted: `count(distinct P)`
        case distinctProperty
    }

    /// Types of values that an aggregate function accepts.
    package enum Operands: Sendable {
        /// The function accepts integers, floats, doubles, decimals and mixed values. In a mixed
        /// property, it aggregates only the numbers.
        case numbers
        /// The function accepts integers, floats, doubles, decimals, dates and mixed values. In a
        /// mixed property, it compares the values of all types, such as texts, with each other.
        case ordered
        /// The function accepts every type.
        case all
    }

    /// Whether a function aggregates NaN. Null is never aggregated.
    enum NaNRule: Sendable {
        case skipped
        /// NaN is aggregated if it is a float or double in a mixed property, as in the reference
        /// engine. It is skipped in other properties.
        case includedInMixed
        /// NaN is aggregated if it is a float or double in a mixed property or in a dictionary, as
        /// in the reference engine. It is skipped elsewhere.
        case includedInMixedAndDictionaries
        case included
    }

    enum Computation: Sendable {
        /// Computed by adding the values one by one to a state.
        case state(@Sendable (OperandType, ValueFilter) -> AggregateOperation)
        /// Computed from the values in ascending order. Their number must be known before the first
        /// value is added.
        case ordered(@Sendable (_ count: Int128, OperandType) -> any OrderedComputation)
        /// Counts the objects of the group; the function has no operand.
        case objects
    }

    init(
        _ name: StaticString, _ operators: [StaticString], _ title: StaticString,
        argument: Argument = .property, of operands: Operands, nan: NaNRule,
        _ summary: StaticString, result: @escaping @Sendable (OperandType) -> OperandType,
        by computation: Computation
    ) {
        self.name = "\(name)"
        self.title = "\(title)"
        self.operators = operators
        self.argument = argument
        self.operands = operands
        self.nan = nan
        self.summary = "\(summary)"
        resultType = result
        self.computation = computation
    }
}

extension AggregateFunction: Hashable {
    public static func == (a: AggregateFunction, b: AggregateFunction) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: - Look-up

extension AggregateFunction {
    /// Returns the function that has this operator in the query language, such as `@avg`; nil for
    /// other texts.
    public static func named(operator text: some StringProtocol) -> AggregateFunction? {
        var text = String(text)
        return text.withUTF8 { named(operator: ByteView($0)) }
    }

    static func named(operator text: ByteView) -> AggregateFunction? {
        all.first { function in
            function.operators.contains { text == ByteView($0) }
        }
    }

    /// The function as written in the option `--aggregate`, with `P` as its property: `sum(P)`. For
    /// help and manual.
    public var form: String { form(of: "P") }

    /// The function as written in the option `--aggregate` with the given property: `sum(age)`.
    public func form(of property: String) -> String {
        switch argument {
        case .none: name
        case .property: "\(name)(\(property))"
        case .distinctProperty: "\(name)(distinct \(property))"
        }
    }
}

extension ByteView {
    fileprivate init(_ text: StaticString) {
        self.init(UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
    }

    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let base = bytes.baseAddress {
            self.init(UnsafeRawPointer(base), count: bytes.count)
        } else {
            self = .empty
        }
    }
}

// MARK: - Rules

extension AggregateFunction {
    /// Whether the function is defined for values of the type.
    func isDefined(for type: OperandType) -> Bool {
        switch operands {
        case .numbers: type.isNumeric || type == .mixed
        case .ordered: type.isNumeric || type == .mixed || type == .timestamp
        case .all: true
        }
    }

    /// Whether the result is a number for every type of operand.
    public var isAlwaysNumber: Bool { operands != .ordered }

    /// Whether the function is computed from values in ascending order, such as the median.
    var isOrdered: Bool {
        if case .ordered = computation { true } else { false }
    }

    func filter(of element: OperandType, inDictionary: Bool) -> ValueFilter {
        let includesNaN =
            switch nan {
            case .skipped: false
            case .includedInMixed: element == .mixed
            case .includedInMixedAndDictionaries: element == .mixed || inDictionary
            case .included: true
            }
        return ValueFilter(
            numbersOnly: operands == .numbers, includesNaN: includesNaN,
            includesDecimalNaN: nan == .included)
    }

    /// Returns the operations, such as start, add and merge, on the state in which the function
    /// aggregates values of the type `element`.
    func operation(of element: OperandType, inDictionary: Bool = false) -> AggregateOperation {
        let filter = filter(of: element, inDictionary: inDictionary)
        switch computation {
        case .state(let operation): return operation(element, filter)
        case .ordered, .objects:
            return AggregateOperation(ValueCount(filter)) { state, _ in state.result }
        }
    }

    /// Returns the result for values of a type, by the rules of the query language; nil if the
    /// function is not defined for that type.
    package func result(
        of values: some Sequence<Value>, _ type: ColumnType, inDictionary: Bool = false
    ) -> Value? {
        let element = OperandType(type, target: .none)
        guard isDefined(for: element) else { return nil }
        let run = AggregateRun(self, of: element, inDictionary: inDictionary)
        for value in values { run.add(value) }
        return run.result(.wraps)
    }

    /// The result without values: zero for sums and counts, else null.
    package var ofNothing: Value {
        AggregateRun(self, of: .int).result(.wraps)
    }
}

/// Selects the values to which an aggregate function applies: never nulls, and NaN according to the
/// function's rule.
struct ValueFilter: Sendable {
    let numbersOnly: Bool
    let includesNaN: Bool
    let includesDecimalNaN: Bool

    @inline(__always)
    func accepts(_ value: Value) -> Bool {
        switch value {
        case .null: false
        case .int: true
        case .float(let x): includesNaN || !x.isNaN
        case .double(let x): includesNaN || !x.isNaN
        case .decimal(let x): includesDecimalNaN || !x.isNaN
        default: !numbersOnly
        }
    }
}

/// Treatment of an integer sum beyond 64 bits.
enum IntegerOverflow: Sendable {
    /// The sum wraps around at 64 bits, as in the query language and in the SDKs.
    case wraps
    /// Beyond 64 bits, the sum becomes a double, as in the command-line tools.
    case widens
}
