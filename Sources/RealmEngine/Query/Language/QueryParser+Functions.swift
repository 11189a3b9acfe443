/// Parses functions of one value and times relative to now, such as `now() - 7d`, in the extended
/// query language.
extension QueryParser {
    /// Whether the current token is the name of a function, followed by a parenthesis.
    mutating func isFunction() -> Bool {
        guard source.dialect.isExtended, token.kind == .name, lexer.isBeforeParenthesis else {
            return false
        }
        let name = name(of: token)
        return name == Self.now || ScalarFunction.named(name) != nil
    }

    private static let now = "now"

    /// Parses `month(created)`, `floor(age, 10)` or `now() - 7d`.
    mutating func function(
        _ quantifier: QueryQuantifier?
    ) throws(RealmError) -> QueryOperand.Kind {
        let word = try advance()
        let name = name(of: word)
        try expect(.leftParen, "'('")
        if name == Self.now {
            guard quantifier == nil else { throw unexpected("a property after ANY, ALL or NONE") }
            try expect(.rightParen, "')'")
            return .constant(.timestamp(try relativeTime()))
        }
        guard let function = ScalarFunction.named(name) else { throw unexpected("a function") }
        try descend()
        defer { ascend() }
        let operand = try operand()
        var width: QueryConstant?
        if function == .floor {
            try expect(.comma, "',' and a width")
            width = try positiveNumber()
        }
        try expect(.rightParen, "')'")
        return .function(
            QueryFunctionCall(
                function: function, operand: operand, width: width, quantifier: quantifier))
    }

    private mutating func positiveNumber() throws(RealmError) -> QueryConstant {
        switch try constant() {
        case .int(let number)? where number > 0: return .int(number)
        case .double(let number, let text)? where number > 0 && number.isFinite:
            return .double(number, text: text)
        default:
            throw source.error(
                .syntax, "syntax", at: previous, "floor() needs a width above zero: floor(age, 10)")
        }
    }

    /// Returns the current time plus the durations that follow. The time is constant for the query.
    private mutating func relativeTime() throws(RealmError) -> Timestamp {
        isMomentary = true
        var time = WallClock.now
        while true {
            var isNegative = false
            if token.kind == .minus || token.kind == .plus {
                guard lexer.isBeforeDuration else { return time }
                isNegative = try advance().kind == .minus
            }
            guard token.kind == .duration else { return time }
            var duration = duration(bytes(of: try advance()))
            if isNegative { duration = 0 &- duration }
            let (seconds, isOverflow) = time.seconds.addingReportingOverflow(duration)
            guard !isOverflow, abs(seconds) < 1 << 56 else {
                throw source.error(.syntax, "syntax", at: previous, "a time out of range")
            }
            time = Timestamp(seconds: seconds, nanoseconds: time.nanoseconds)
        }
    }

    /// Returns the signed number of seconds of a duration such as `7d`.
    private func duration(_ text: ArraySlice<UInt8>) -> Int64 {
        let isNegative = text.first == UInt8(ascii: "-")
        var number: Int64 = 0
        for byte in text where byte &- 0x30 < 10 {
            number = min(number * 10 + Int64(byte - 0x30), 1 << 40)
        }
        let seconds: Int64 =
            switch text.last {
            case UInt8(ascii: "m"): 60
            case UInt8(ascii: "h"): 3600
            case UInt8(ascii: "d"): 86_400
            case UInt8(ascii: "w"): 604_800
            default: 1
            }
        return (isNegative ? -number : number) * seconds
    }
}

extension QueryOperand {
    /// Parses a function of one value in an option's text, such as `month(created)`; nil for other
    /// texts.
    ///
    /// - Throws: `misuse` for a function with a mistake.
    package static func function(_ text: String) throws(RealmError) -> QueryOperand? {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "(")),
            ScalarFunction.named(String(text[..<end])) != nil
        else { return nil }
        let source = QuerySource(text: [UInt8](text.utf8), dialect: .extended)
        return try QueryParser.parseFunction(source)
    }

    /// The function of one value that the operand calls; nil if the operand calls no function.
    package var scalarFunction: ScalarFunction? {
        guard case .function(let call) = kind else { return nil }
        return call.function
    }
}
