extension ByteBuffer {
    /// Appends a decimal as the scientific string of the General Decimal Arithmetic specification:
    /// "1.50", "-0", "0.000001", "1E-7", "1.2E+9". All digits and the exponent are preserved.
    /// Infinities are "Inf" and "-Inf". Null and every NaN are "NaN".
    package mutating func append(number value: Decimal128) {
        guard value.isFinite else {
            if value.isNaN {
                append("NaN")
            } else {
                append(value.isNegative ? "-Inf" : "Inf")
            }
            return
        }
        if value.isNegative { append(UInt8(ascii: "-")) }
        // At most 34 digits, a point, and either six zeros or an exponent.
        let out = reserve(64)
        let exponent = value.exponent
        let scale = exponent + value.coefficient.digitCount - 1
        if exponent <= 0 && scale >= -6 {
            appendPlain(value.coefficient, places: -exponent, to: out)
        } else {
            appendScientific(value.coefficient, exponent: scale, to: out)
        }
    }

    private mutating func appendPlain(
        _ coefficient: UInt128, places: Int, to out: UnsafeMutableRawPointer
    ) {
        let zeros = max(0, places + 1 - coefficient.digitCount)
        for i in 0..<zeros {
            out.storeBytes(of: UInt8(ascii: "0"), toByteOffset: i, as: UInt8.self)
        }
        let count = zeros + DecimalDigits.write(coefficient, to: out + zeros)
        if places == 0 {
            advance(by: count)
        } else {
            Self.insertPoint(at: count - places, count: count, in: out)
            advance(by: count + 1)
        }
    }

    private mutating func appendScientific(
        _ coefficient: UInt128, exponent: Int, to out: UnsafeMutableRawPointer
    ) {
        let count = DecimalDigits.write(coefficient, to: out)
        if count > 1 { Self.insertPoint(at: 1, count: count, in: out) }
        advance(by: count > 1 ? count + 1 : 1)
        append(exponent < 0 ? "E" : "E+")
        append(number: exponent)
    }

    private static func insertPoint(at place: Int, count: Int, in out: UnsafeMutableRawPointer) {
        (out + place + 1).copyMemory(from: out + place, byteCount: count - place)
        out.storeBytes(of: UInt8(ascii: "."), toByteOffset: place, as: UInt8.self)
    }
}

extension Decimal128: CustomStringConvertible {
    public var description: String {
        var buffer = ByteBuffer(capacity: 64)
        buffer.append(number: self)
        return buffer.string
    }
}
