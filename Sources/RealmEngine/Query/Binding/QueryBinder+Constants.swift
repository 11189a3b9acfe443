/// Conversion of literals and arguments to the type of the other side of the comparison (query
/// language 7).
extension QueryBinder {
    /// Returns the argument `$number`; throws if there are fewer arguments.
    func argument(_ number: Int, _ range: SourceRange) throws(RealmError) -> QueryArgument {
        guard number < arguments.count else {
            throw invalidArgument(
                "argumentIndex", range,
                "argument $\(number) is used, but only \(arguments.count) are given")
        }
        return arguments[number]
    }

    /// Binds a constant, converted to `target`, the type of the other side of the comparison.
    func constant(
        _ tree: QueryConstant, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        switch tree {
        case .value(.list(let elements)): return try listArgument(elements, target, nil, range)
        case .argument(let number, let quantifier):
            if case .list(let elements) = try argument(number, range) {
                return try listArgument(elements, target, quantifier, range)
            }
            guard quantifier == nil else {
                throw invalid(
                    "quantifierNeedsList", range,
                    "argument $\(number) is not a list: ANY, ALL and NONE need one")
            }
        default: break
        }
        let value = try typed(tree, target, range)
        return BoundOperand(
            kind: .constant(ValueBuffer([value.value])), type: value.type, shape: .scalar,
            range: range)
    }

    /// Binds a list literal `{...}`. Its type is mixed regardless of its elements.
    func list(_ tree: QueryList, _ target: OperandType?) throws(RealmError) -> BoundOperand {
        var values: [Value] = []
        for element in tree.elements {
            values.append(try typed(element.constant, target, element.range).value)
        }
        return BoundOperand(
            kind: .constant(ValueBuffer(values)), type: target == .typeName ? .typeName : .mixed,
            shape: .list, quantifier: tree.quantifier, range: tree.range)
    }

    private func listArgument(
        _ elements: [QueryArgument], _ target: OperandType?, _ quantifier: QueryQuantifier?,
        _ range: SourceRange
    ) throws(RealmError) -> BoundOperand {
        guard target != .typeName else {
            throw invalidArgument("typeOperand", range, "@type does not take a list argument")
        }
        var values: [Value] = []
        for element in elements { values.append(try member(element, target, range).value) }
        return BoundOperand(
            kind: .constant(ValueBuffer(values)), type: .mixed, shape: .list,
            quantifier: quantifier, range: range)
    }

    /// Converts an element of a list argument. As in a literal list, a text that cannot be
    /// converted to the type of the other side of the comparison remains a string.
    private func member(
        _ argument: QueryArgument, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        guard case .text(let text) = argument else { return try coerced(argument, target, range) }
        if let typed = try converted(text, target, range) { return typed }
        return try string(pool.view(text), target, range)
    }

    typealias Typed = (value: Value, type: OperandType)

    /// Converts one constant to `target`, the type of the other side of the comparison.
    func typed(
        _ tree: QueryConstant, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        let result: Typed
        switch tree {
        case .argument(let number, let quantifier):
            guard quantifier == nil else {
                throw invalid("quantifierNeedsList", range, "a single value takes no quantifier")
            }
            return try given(argument(number, range), target, range, "argument $\(number)")
        case .value(let value): return try given(value, target, range, "a value")
        case .null: result = null(target)
        case .bool(let value): result = (.bool(value), .bool)
        case .int(let value): result = int(value, target)
        case .double(let value, let text): result = try double(value, text: text, target, range)
        case .float(let value, _): result = try float(value, target, range)
        case .infinity(let isNegative):
            result = try double(isNegative ? -.infinity : .infinity, text: nil, target, range)
        case .nan: result = try double(.nan, text: nil, target, range)
        case .string(let bytes): result = try string(pool.view(bytes), target, range)
        case .binary(let bytes): result = (.binary(pool.view(bytes)), .binary)
        case .timestamp(let value): result = (.timestamp(value), .timestamp)
        case .objectID(let value): result = (.objectID(value), .objectID)
        case .uuid(let value): result = (.uuid(uuidOrder.converted(value)), .uuid)
        case .object(let name, let key): result = try object(name, key, range)
        case .objectKey(let key): result = try objectKey(key, target, range)
        case .typedKey(let table, let key):
            result = link(ObjectLink(table: TableKey(table), key: ObjectKey(key)))
        }
        if target == .typeName, result.type != .typeName { throw notTypeName(range) }
        return result
    }

    /// Converts an argument, or a value given by a program. Throws unless it can be compared with
    /// the other side of the comparison.
    private func given(
        _ argument: QueryArgument, _ target: OperandType?, _ range: SourceRange,
        _ name: @autoclosure () -> String
    ) throws(RealmError) -> Typed {
        let result = try coerced(argument, target, range)
        guard let target, !result.type.isComparable(with: target),
            !target.isLink || !result.type.isLink
        else { return result }
        throw invalidArgument(
            "argumentType", range,
            "\(name()) of type \(result.type.name) cannot be compared with \(target.named)")
    }

    /// Converts an argument to the type of the other side of the comparison, by the rules for a
    /// literal of the argument's type.
    func coerced(
        _ argument: QueryArgument, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        let result: Typed
        switch argument {
        case .null: result = null(target)
        case .bool(let value): result = (.bool(value), .bool)
        case .int(let value): result = int(value, target)
        case .float(let value): result = try float(value, target, range)
        case .double(let value): result = try double(value, text: nil, target, range)
        case .string(let text): result = try string(pool.view(text), target, range)
        case .binary(let bytes): result = (.binary(pool.view(bytes)), .binary)
        case .timestamp(let value): result = (.timestamp(value), .timestamp)
        case .decimal(let value): result = (.decimal(value), .decimal)
        case .objectID(let value): result = (.objectID(value), .objectID)
        case .uuid(let value): result = (.uuid(uuidOrder.converted(value)), .uuid)
        case .link(let value): result = link(value)
        case .object(let name, let key):
            result = try object([UInt8](name.utf8), try literal(key, range), range)
        case .text(let text): result = try textual(text, target, range)
        case .list, .geo:
            throw invalidArgument("argumentType", range, "this argument cannot be used as a value")
        }
        if target == .typeName, result.type != .typeName { throw notTypeName(range) }
        return result
    }

    /// Converts a text to the type of the other side of the comparison; throws if that is
    /// impossible.
    private func textual(
        _ text: String, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        if let typed = try converted(text, target, range) { return typed }
        throw invalidArgument(
            "argumentType", range, "'\(text)' is no value of type \(target!.name)")
    }

    /// Converts a text to the type of the other side of the comparison; nil if that is impossible.
    private func converted(
        _ text: String, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed? {
        let view = pool.view(text)
        switch target {
        case nil, .null, .mixed, .string, .typeName: return try string(view, target, range)
        case .binary:
            var decoded = ByteBuffer(capacity: view.count + 8)
            return decoded.append(decodingBase64: view)
                ? (.binary(pool.view([UInt8](decoded.bytes))), .binary) : nil
        default:
            // A number beyond the range of the type becomes infinity, as a literal does.
            let value = target?.column.flatMap { Value.parsed(view, as: $0) }
            guard let target, let value else { return nil }
            if case .uuid(let id) = value { return (.uuid(uuidOrder.converted(id)), .uuid) }
            return (value, target)
        }
    }

    /// Converts an argument that is a primary key to a literal.
    private func literal(
        _ key: QueryArgument, _ range: SourceRange
    ) throws(RealmError) -> QueryConstant {
        switch key {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let text), .text(let text): .string([UInt8](text.utf8))
        case .objectID(let value): .objectID(value)
        case .uuid(let value): .uuid(value)
        default:
            throw invalidArgument("argumentType", range, "this argument cannot be a primary key")
        }
    }

    private func null(_ target: OperandType?) -> Typed {
        switch target {
        case .string: (.null, .string)
        case .binary: (.null, .binary)
        default: (.null, .null)
        }
    }

    private func int(_ value: Int64, _ target: OperandType?) -> Typed {
        target == .decimal ? (.decimal(Decimal128(value)), .decimal) : (.int(value), .int)
    }

    /// Converts a double. `text` is the spelling of a literal, from which a decimal is converted
    /// without losing digits; nil if there is no literal.
    private func double(
        _ value: Double, text: [UInt8]?, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        if target == .decimal {
            if let text, let exact = Decimal128.prefix(of: pool.view(text)) {
                return (.decimal(exact.value), .decimal)
            }
            return (.decimal(Decimal128(value)), .decimal)
        }
        if !value.isFinite { try checkInfinity(value.isNaN, target, range) }
        switch target {
        case .float: return (.float(Float(value)), .float)
        case .int:
            if let whole = Int64(exactly: value) { return (.int(whole), .int) }
            return (.double(value), .double)
        default: return (.double(value), .double)
        }
    }

    private func float(
        _ value: Float, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        if !value.isFinite {
            if target == .int { throw infinite(value.isNaN, .int, range) }
            try checkInfinity(value.isNaN, target, range)
        }
        if target == .int, let whole = Int64(exactly: value) { return (.int(whole), .int) }
        return (.float(value), .float)
    }

    /// Throws if infinity or NaN is compared with a type that has no such value. Floats, doubles
    /// and decimals have both; NaN, but not infinity, may be compared with an integer.
    private func checkInfinity(
        _ isNaN: Bool, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) {
        switch target {
        case nil, .float, .double, .decimal, .mixed, .null: return
        case .int where isNaN: return
        case .some(let target): throw infinite(isNaN, target, range)
        }
    }

    private func infinite(
        _ isNaN: Bool, _ target: OperandType, _ range: SourceRange
    ) -> RealmError {
        invalid(
            "infinityOperand", range,
            "\(isNaN ? "NaN" : "infinity") cannot be compared with type \(target.name)")
    }

    /// Converts a string constant: to its leading number for a numeric type, or to a set of types
    /// for `@type`.
    private func string(
        _ view: ByteView, _ target: OperandType?, _ range: SourceRange
    ) throws(RealmError) -> Typed {
        switch target {
        case .int:
            if let value = Self.leadingInteger(view) { return (.int(value), .int) }
        case .float:
            if let number = Float.prefix(of: view), Self.isNumber(view, number.length) {
                return (.float(number.value), .float)
            }
        case .double:
            if let number = Double.prefix(of: view), Self.isNumber(view, number.length) {
                return (.double(number.value), .double)
            }
        case .decimal:
            if let number = Decimal128.prefix(of: view), Self.isNumber(view, number.length) {
                return (.decimal(number.value), .decimal)
            }
        case .typeName:
            guard let mask = TypeMask(name: view.bytes) else {
                throw invalidArgument(
                    "unknownTypeName", range,
                    "'\(String(decoding: view.bytes, as: UTF8.self))' is not the name of a type")
            }
            return (.int(Int64(mask.rawValue)), .typeName)
        default: break
        }
        return (.string(view), .string)
    }

    /// Whether a text of which only the first `length` bytes are a number is accepted as this
    /// number. True for `12 km`, where other characters follow digits. False for `nano`, where they
    /// follow `nan` or `inf`.
    private static func isNumber(_ text: ByteView, _ length: Int) -> Bool {
        let first = text[text.count > 1 && QueryLexer.isSign(text[0]) ? 1 : 0]
        return length == text.count || !QueryLexer.isLetter(first)
    }

    /// Returns the integer at the start of a text; nil if there is none.
    private static func leadingInteger(_ text: ByteView) -> Int64? {
        var end = text.count > 0 && QueryLexer.isSign(text[0]) ? 1 : 0
        while end < text.count, QueryLexer.isDigit(text[end]) { end += 1 }
        return Int64(text: ByteView(text.base, count: end))
    }

    private func notTypeName(_ range: SourceRange) -> RealmError {
        invalidArgument(
            "typeOperand", range, "@type is compared with the name of a type or another @type")
    }
}
