extension ByteBuffer {
    package mutating func append(number value: UInt64) {
        advance(by: DecimalDigits.write(value, to: reserve(20)))
    }

    package mutating func append(number value: Int64) {
        let out = reserve(20)
        if value < 0 {
            out.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
            advance(by: 1 + DecimalDigits.write(value.magnitude, to: out + 1))
        } else {
            advance(by: DecimalDigits.write(value.magnitude, to: out))
        }
    }

    @inline(__always)
    package mutating func append(number value: Int) { append(number: Int64(value)) }

    package mutating func append(number value: Int128) {
        if value < 0 { append(UInt8(ascii: "-")) }
        advance(by: DecimalDigits.write(value.magnitude, to: reserve(39)))
    }

    /// Appends the shortest text from which parsing gives the same double: "1.0", "1e+20", "NaN",
    /// "-Infinity".
    package mutating func append(number value: Double) {
        // Whole numbers are frequent, and their shortest text need not be searched for.
        if value.magnitude < 0x1p53, value != 0, value == value.rounded(.towardZero) {
            append(number: Int64(value))
            append(".0")
        } else if value.magnitude >= 0x1p-9, value.magnitude < 1e9, appendFewPlaces(value) {
            return
        } else if value.isFinite {
            append(value.description)
        } else {
            appendNonFinite(isNaN: value.isNaN, isNegative: value < 0)
        }
    }

    /// Appends a number that has at most six decimal places, such as a price or a percentage.
    /// Returns false and appends nothing for other numbers.
    ///
    /// The result is the shortest text that parses to the same double. Two different decimals with
    /// up to 15 digits never parse to the same double. Dividing two integers that doubles represent
    /// exactly rounds in the same way as parsing the decimal.
    @inline(__always)
    private mutating func appendFewPlaces(_ value: Double) -> Bool {
        let scaled = (value.magnitude * 1e6).rounded()
        guard scaled / 1e6 == value.magnitude else { return false }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: 1_000_000)
        var (rest, places) = (fraction, 6)
        while rest % 10 == 0, places > 1 {
            rest /= 10
            places &-= 1
        }
        let out = reserve(32)
        var at = 0
        if value < 0 {
            out.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
            at = 1
        }
        at &+= DecimalDigits.write(whole, to: out + at)
        out.storeBytes(of: UInt8(ascii: "."), toByteOffset: at, as: UInt8.self)
        DecimalDigits.write(rest, width: places, to: out + at + 1)
        advance(by: at &+ 1 &+ places)
        return true
    }

    /// Appends the shortest text from which parsing gives the same float.
    package mutating func append(number value: Float) {
        if value.isFinite {
            append(value.description)
        } else {
            appendNonFinite(isNaN: value.isNaN, isNegative: value < 0)
        }
    }

    private mutating func appendNonFinite(isNaN: Bool, isNegative: Bool) {
        if isNaN {
            append("NaN")
        } else {
            append(isNegative ? "-Infinity" : "Infinity")
        }
    }

    /// Appends `true` or `false`.
    package mutating func append(_ value: Bool) {
        // Two calls, because literals in a conditional expression would become `String`s.
        if value { append("true") } else { append("false") }
    }
}
