import Testing

@testable import EngineSupport
@testable import RealmEngine

private func decimal(_ text: some StringProtocol) -> Decimal128 {
    withView(String(text)) { Decimal128(text: $0)! }
}

private func tokens(_ table: String) -> [Substring] {
    table.split(whereSeparator: \.isWhitespace)
}

@Suite struct DecimalTests {
    @Test func unpacksDecimalsOfAllLeafWidths() {
        #expect(Decimal128(packed32: 0x3200_000F).description == "1.5")
        #expect(Decimal128(packed32: 0xB280_0000).description == "-0")
        #expect(Decimal128(packed32: 0x7C00_00AA).isNull)
        #expect(Decimal128(packed64: 0x7C00_0000_0000_00AA).isNull)
        #expect(Decimal128(packed64: 398 << 53 | 1 << 53 - 1).exactInt64 == 1 << 53 - 1)
        #expect(Decimal128(packed64: 1 << 63 | 28 << 53 | 7).description == "-7E-370")
        for exponent in -90...90 {
            let bits = UInt32(exponent + 101) << 23 | 0x7F_FFFF
            let value = Decimal128(packed32: bits | 1 << 31)
            #expect(value.isNegative && value.coefficient == 0x7F_FFFF)
            #expect(value.exponent == exponent)
        }
        for exponent in -369...369 {
            let value = Decimal128(packed64: UInt64(exponent + 398) << 53 | 12345)
            #expect(!value.isNegative && value.coefficient == 12345)
            #expect(value.exponent == exponent)
        }
        // All bit patterns can be decoded.
        for top in 0...255 {
            _ = Decimal128(packed32: UInt32(top) << 24 | 0xFF_FFFF).description
            _ = Decimal128(packed64: UInt64(top) << 56 | 0xFF).description
            _ = Decimal128(high: UInt64(top) << 56 | 0xFF_FFFF_FFFF_FFFF, low: .max).description
        }
    }

    @Test func encodingsWithTooManyDigitsAreZero() {
        let over = Decimal128.coefficientLimit
        let high = UInt64(over >> 64) | 6176 << 49
        let value = Decimal128(high: high, low: UInt64(truncatingIfNeeded: over))
        #expect(value.isZero && value.description == "0")
        #expect(Decimal128(high: 0x6C10_0000_0000_0000, low: 5).isZero)
        #expect(Decimal128.compare(value, .zero) == 0)
        #expect((value + Decimal128(1)).exactInt64 == 1)
    }

    @Test func canonicalTextIsReadAndPrintedUnchanged() {
        let texts = [
            "0", "-0", "1", "1.5", "1.00", "0.1", "-12.50", "0.000001", "1E-7", "1.2E-7", "0.00",
            "0E-7", "0E+3", "1E+400", "-1.234E+10", "9.999999999999999999999999999999999E+6144",
            "1E-6176", "9007199254740993", "1234567890123456789012345678901234",
            "0.1234567890123456789012345678901234", "Inf", "-Inf", "NaN",
        ]
        for text in texts { #expect(decimal(text).description == text) }
        #expect(Decimal128.null.description == "NaN")
    }

    @Test func textIsParsedAndRounded() {
        let pairs = [
            ("+1.50", "1.50"), ("1.", "1"), (".5", "0.5"), ("-.5e-3", "-0.0005"),
            ("00012", "12"), ("1e3", "1E+3"),
            ("1E6144", "1.000000000000000000000000000000000E+6144"),
            ("1E6145", "Inf"), ("-1E99999999999999999999999", "-Inf"), ("1E-6177", "0E-6176"),
            ("0E999999999", "0E+6111"), ("5E-6177", "0E-6176"), ("5.1E-6177", "1E-6176"),
            ("12345678901234567890123456789012345", "1.234567890123456789012345678901234E+34"),
            ("12345678901234567890123456789012355", "1.234567890123456789012345678901236E+34"),
            ("99999999999999999999999999999999995", "1.000000000000000000000000000000000E+35"),
            (
                "1000000000000000000000000000000000500000000000000000000000000000001",
                "1.000000000000000000000000000000001E+66"
            ),
            (
                "1000000000000000000000000000000000500000000000000000000000000000000",
                "1.000000000000000000000000000000000E+66"
            ),
            ("inf", "Inf"), ("-INFINITY", "-Inf"), ("nan", "NaN"), ("-NaN", "NaN"),
        ]
        for (text, canonical) in pairs {
            #expect(decimal(text).description == canonical, "\(text)")
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", " 1", "1 ", "0x10", "infi", "1_0"] {
            withView(text) { #expect(Decimal128(text: $0) == nil, "\(text)") }
        }
        withView("2.5x") { view in
            let prefix = Decimal128.prefix(of: view)
            #expect(prefix?.value.description == "2.5" && prefix?.length == 3)
        }
        withView("7e") { #expect(Decimal128.prefix(of: $0)?.length == 1) }
    }

    @Test func arithmeticMatchesTheVectors() {
        let all = tokens(DecimalVectors.arithmetic)
        #expect(all.count % 4 == 0 && all.count > 400)
        for i in stride(from: 0, to: all.count, by: 4) {
            let (a, b) = (decimal(all[i + 1]), decimal(all[i + 2]))
            let result =
                switch all[i] {
                case "+": a + b
                case "-": a - b
                case "*": a * b
                default: a / b
                }
            #expect(result == decimal(all[i + 3]), "\(a) \(all[i]) \(b)")
        }
    }

    @Test func arithmeticFollowsTheRulesForInfinityAndNaN() {
        let (inf, one, zero) = (Decimal128.infinity, Decimal128(1), Decimal128.zero)
        #expect((inf - inf).isNaN && (inf * zero).isNaN && (inf / inf).isNaN && (zero / zero).isNaN)
        #expect((one + .null).isNaN && (.nan * one).isNaN && (one / .nan).isNaN)
        #expect(one / zero == inf && one / -zero == -inf && -one / zero == -inf)
        #expect(inf + one == inf && one - inf == -inf && -inf * inf == -inf)
        #expect((one / inf).isZero && inf / -one == -inf)
        #expect((one - one) == zero && (-zero + -zero) == -zero && (-zero + zero) == zero)
        #expect((decimal("1.20") + decimal("0.30")).description == "1.50")
        #expect((one / Decimal128(3)).description == "0.3333333333333333333333333333333333")
        let twoThirds = Decimal128(2) / Decimal128(3)
        #expect(twoThirds.description == "0.6666666666666666666666666666666667")
        #expect((Decimal128(100) / Decimal128(4)).description == "25")
    }

    /// Numbers of few digits, compared with integer arithmetic at a common scale.
    @Test func arithmeticAgreesWithIntegerArithmetic() {
        var random = SeededRandom.fresh("small decimals")
        for _ in 0..<20_000 {
            let m = Int64.random(in: -9999...9999, using: &random)
            let n = Int64.random(in: -9999...9999, using: &random)
            let p = Int.random(in: 0...6, using: &random)
            let q = Int.random(in: 0...6, using: &random)
            let (a, b) = (decimal("\(m)E-\(p)"), decimal("\(n)E-\(q)"))
            let scale = max(p, q)
            let left = m * Int64(UInt64(tenToThe: scale - p))
            let right = n * Int64(UInt64(tenToThe: scale - q))
            #expect(Decimal128.compare(a, b).signum() == (left - right).signum())
            #expect(Decimal128.compare(a + b, decimal("\(left + right)E-\(scale)")) == 0)
            #expect(Decimal128.compare(a - b, decimal("\(left - right)E-\(scale)")) == 0)
            #expect(Decimal128.compare(a * b, decimal("\(m * n)E-\(p + q)")) == 0)
            if n != 0 && m % n == 0 {
                #expect(Decimal128.compare(a / b, decimal("\(m / n)E\(q - p)")) == 0)
            }
        }
    }

    @Test func comparisonFollowsTheNumericOrder() {
        let ascending = [
            "-Inf", "-1E+6144", "-9007199254740993", "-1.5", "-1", "-1E-6176", "0", "1E-6176",
            "0.1", "0.11", "1", "1.000000000000000000000000000000001", "2", "9.99", "10", "99.9",
            "1E+2", "1E+400", "9.999999999999999999999999999999999E+6144", "Inf",
        ]
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() {
                #expect(
                    Decimal128.compare(decimal(a), decimal(b)).signum() == (i - j).signum(),
                    "\(a) \(b)")
            }
            #expect(Decimal128.compare(.nan, decimal(a)) < 0)
            #expect(Decimal128.compare(decimal(a), .null) > 0)
        }
        for (a, b) in [("1.0", "1.00"), ("-0", "0"), ("0E-9", "-0E+9"), ("1E+3", "1000")] {
            #expect(Decimal128.compare(decimal(a), decimal(b)) == 0)
        }
        #expect(Decimal128.compare(.nan, .null) < 0)
        #expect(Decimal128.compare(.null, .null) == 0)
        #expect(Decimal128.compare(-.nan, .null) > 0)
    }

    @Test func doublesAndFloatsConvertToDecimals() {
        for line in DecimalVectors.doubles.split(separator: "\n") {
            let part = tokens(String(line))
            let value = Double(bitPattern: UInt64(part[0], radix: 16)!)
            #expect(Decimal128.compare(Decimal128(value), decimal(part[1])) == 0, "\(value)")
        }
        for line in DecimalVectors.floats.split(separator: "\n") {
            let part = tokens(String(line))
            let value = Float(bitPattern: UInt32(part[0], radix: 16)!)
            #expect(Decimal128.compare(Decimal128(value), decimal(part[1])) == 0, "\(value)")
        }
        #expect(Decimal128(0.1).description == "0.1" && Decimal128(Float(0.1)).description == "0.1")
        #expect(Decimal128(100.0).description == "100" && Decimal128(1e20).description == "1E+20")
        #expect(Decimal128(9007199254740992.0).description == "9.00719925474099E+15")
        #expect(Decimal128(Double.nan) == .nan && Decimal128(-Double.infinity) == -.infinity)
    }

    @Test func decimalsConvertToTheNearestDouble() {
        var random = SeededRandom.fresh("decimal to double")
        for _ in 0..<5000 {
            let value = Double(bitPattern: random.next())
            if value.isFinite { #expect(decimal("\(value)").doubleValue == value) }
        }
        #expect(decimal("1E+400").doubleValue == .infinity && decimal("-1E-400").doubleValue == 0)
        #expect(Decimal128.null.doubleValue.isNaN && (-Decimal128.infinity).doubleValue < 0)
    }

    @Test func decimalsConvertToIntegersExactlyOrTruncated() {
        for value in [0, 1, -1, Int64.max, .min, 1 << 53 + 1] {
            #expect(Decimal128(value).exactInt64 == value)
            #expect(decimal("\(value).0").exactInt64 == value)
            #expect(decimal("\(value).5").exactInt64 == nil)
            #expect(decimal("\(value).5").truncatedToInt64 == value)
        }
        let outside = [
            "9223372036854775808", "-9223372036854775809", "1E+19", "1E+6111", "Inf", "NaN",
        ]
        for text in outside {
            #expect(decimal(text).truncatedToInt64 == nil)
        }
        #expect(decimal("1E+18").exactInt64 == 1_000_000_000_000_000_000)
        #expect(decimal("1E-40").truncatedToInt64 == 0 && decimal("1E-40").exactInt64 == nil)
        #expect(decimal("0E-6000").exactInt64 == 0 && decimal("0E+6000").exactInt64 == 0)
        #expect(decimal("9999999999999999999999999999999999E+18").exactInt64 == nil)
    }
}
