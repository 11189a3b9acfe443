/// Binds arithmetic with `+`, `-`, `*` and `/` (query language 16).
extension QueryBinder {
    mutating func arithmetic(
        _ first: QueryOperand, _ terms: [ArithmeticTerm], target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        let inner = try staticType(of: QueryOperand(kind: .arithmetic(first, terms), range: range))
        let target = inner ?? target
        let bound = try operand(first, target: target)
        try checkNumber(bound)
        var type = bound.type
        var shape = bound.shape
        var quantifier = bound.quantifier
        var parts: [BoundTerm] = []
        for term in terms {
            let next = try operand(term.operand, target: target)
            try checkNumber(next)
            if shape != .scalar, next.shape != .scalar {
                throw invalid(
                    "arithmeticTwoLists", term.range,
                    "'\(source.quote(term.range))' cannot combine two lists")
            }
            if next.shape != .scalar {
                shape = next.shape
                quantifier = next.quantifier
            }
            type = Self.wider(type, next.type)
            parts.append(BoundTerm(sign: term.sign, operand: next))
        }
        let isFoldable = bound.isConstant && parts.allSatisfy(\.operand.isConstant)
        let chain = BoundOperand(
            kind: .arithmetic(bound.with(nil), parts), type: type, shape: shape,
            quantifier: quantifier,
            range: range)
        return isFoldable ? folded(chain) : chain
    }

    /// Evaluates an arithmetic expression whose operands are constants; returns other expressions
    /// unchanged.
    private func folded(_ chain: BoundOperand) -> BoundOperand {
        guard case .arithmetic(let first, let terms) = chain.kind,
            case .constant(let start) = first.kind
        else { return chain }
        var values = Array(start.values.all)
        for term in terms {
            guard case .constant(let buffer) = term.operand.kind else { return chain }
            values = Arithmetic.combine(values, term.sign, Array(buffer.values.all))
        }
        return BoundOperand(
            kind: .constant(ValueBuffer(values)),
            type: chain.shape == .scalar ? OperandType(values[0]) : chain.type,
            shape: chain.shape, quantifier: chain.quantifier, range: chain.range)
    }

    private func checkNumber(_ operand: BoundOperand) throws(RealmError) {
        guard operand.type.isNumeric || operand.type == .mixed else {
            throw invalidArgument(
                "arithmeticOperand", operand.range,
                "arithmetic needs numbers, not \(operand.type.named)")
        }
    }

    private static func wider(_ a: OperandType, _ b: OperandType) -> OperandType {
        for type in [OperandType.mixed, .decimal, .double, .float] where a == type || b == type {
            return type
        }
        return .int
    }
}

/// Arithmetic on values, with the result type determined by both operands.
enum Arithmetic {
    /// Returns the result of the operator; null unless both operands are numbers.
    static func apply(_ sign: QueryArithmetic, _ a: Value, _ b: Value) -> Value {
        switch (a, b) {
        case (.int(let x), .int(let y)): return .int(integer(sign, x, y))
        case (.decimal(let x), _):
            guard let y = decimal(b) else { return .null }
            return .decimal(decimal(sign, x, y))
        case (_, .decimal(let y)):
            guard let x = decimal(a) else { return .null }
            return .decimal(decimal(sign, x, y))
        case (.float(let x), .float(let y)): return .float(floating(sign, x, y))
        case (.float(let x), .int(let y)): return .float(floating(sign, x, Float(y)))
        case (.int(let x), .float(let y)): return .float(floating(sign, Float(x), y))
        default:
            guard let x = double(a), let y = double(b) else { return .null }
            return .double(floating(sign, x, y))
        }
    }

    /// Applies the operator to two lists, one of which must have exactly one value. That value is
    /// combined with each value of the other list.
    static func combine(_ a: [Value], _ sign: QueryArithmetic, _ b: [Value]) -> [Value] {
        if b.count == 1 { return a.map { apply(sign, $0, b[0]) } }
        if a.count == 1 { return b.map { apply(sign, a[0], $0) } }
        return []
    }

    /// Integer arithmetic that wraps on overflow.
    private static func integer(_ sign: QueryArithmetic, _ a: Int64, _ b: Int64) -> Int64 {
        switch sign {
        case .add: a &+ b
        case .subtract: a &- b
        case .multiply: a &* b
        case .divide: quotient(a, b)
        }
    }

    /// Integer division as in the reference engine. Division by zero returns the largest integer,
    /// or the smallest for a negative dividend.
    @inline(__always)
    static func quotient(_ a: Int64, _ b: Int64) -> Int64 {
        b == 0 ? (a >= 0 ? .max : .min) : b == -1 ? 0 &- a : a / b
    }

    private static func floating<T: BinaryFloatingPoint>(
        _ sign: QueryArithmetic, _ a: T, _ b: T
    ) -> T {
        switch sign {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    private static func decimal(
        _ sign: QueryArithmetic, _ a: Decimal128, _ b: Decimal128
    ) -> Decimal128 {
        switch sign {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        }
    }

    static func decimal(_ value: Value) -> Decimal128? { value.decimalNumber }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let x): Double(x)
        case .float(let x): Double(x)
        case .double(let x): x
        default: nil
        }
    }
}
