/// Binds calls of functions of one value, such as `month(created)`.
extension QueryBinder {
    mutating func function(
        _ call: QueryFunctionCall, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        let operand = try operand(call.operand, target: nil)
        let name = call.function.rawValue
        guard !operand.isConstant else {
            throw invalid("functionOperand", operand.range, "\(name)() needs a property")
        }
        if call.quantifier != nil, operand.shape == .scalar {
            throw invalid(
                "quantifierNeedsList", operand.range,
                "'\(source.quote(operand.range))' is not a list: ANY, ALL and NONE need one")
        }
        guard call.function.takes(operand.type) else {
            throw invalid(
                "functionOperand", operand.range,
                "\(name)() needs \(call.function.takenTypes), not \(operand.type.named)")
        }
        return BoundOperand(
            kind: .function(BoundFunction(call.function, zone, width: call.widthValue), operand),
            type: Self.type(of: call.function, operand.type, call.widthValue),
            shape: operand.shape, quantifier: call.quantifier ?? operand.quantifier, range: range)
    }

    func type(of call: QueryFunctionCall) throws(RealmError) -> OperandType {
        Self.type(of: call.function, try staticType(of: call.operand) ?? .null, call.widthValue)
    }

    private static func type(
        of function: ScalarFunction, _ type: OperandType, _ width: Value
    ) -> OperandType {
        switch function {
        case .hour, .day, .week, .month, .quarter: .string
        case .year, .weekday: .int
        case .floor:
            if case .int = width, type == .int { .int } else { type == .mixed ? .mixed : .double }
        }
    }
}

extension QueryFunctionCall {
    /// The width argument of `floor`, as an integer or a double; null for other functions.
    var widthValue: Value {
        switch width {
        case .int(let number)?: .int(number)
        case .double(let number, _)?: .double(number)
        default: .null
        }
    }
}
