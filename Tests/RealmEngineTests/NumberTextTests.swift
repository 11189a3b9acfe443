import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct NumberTextTests {
    private static var integers: [Int64] {
        var all: [Int64] = [0, 1, -1, .max, .min, .max - 1, .min + 1]
        for power in 0...18 {
            let ten = Int64(UInt64(tenToThe: power))
            all += [ten - 1, ten, ten + 1, -ten, 1 - ten]
        }
        for bit in 0..<63 { all += [1 << Int64(bit), (1 << Int64(bit)) - 1] }
        return all
    }

    @Test func integersRoundTripAsText() {
        var random = SeededRandom.fresh("integers")
        var all = Self.integers + (-1100...1100).map { Int64($0) }
        for _ in 0..<2000 {
            let bits = Int64.random(in: 0..<64, using: &random)
            all.append(Int64(truncatingIfNeeded: random.next() >> UInt64(bits)))
        }
        for value in all {
            #expect(written { $0.append(number: value) } == String(value))
            #expect(written { $0.append(number: value.magnitude) } == String(value.magnitude))
            withView(String(value)) { #expect(Int64(text: $0) == value) }
            withView(String(value.magnitude)) { #expect(UInt64(text: $0) == value.magnitude) }
            let wide = Int128(value) * 1_000_000_007
            #expect(written { $0.append(number: wide) } == String(wide))
        }
        #expect(written { $0.append(number: UInt64.max) } == "18446744073709551615")
        #expect(written { $0.append(number: Int128.min) } == String(Int128.min))
        #expect(written { $0.append(number: 42) } == "42")
    }

    @Test func textThatIsNoIntegerIsRejected() {
        let bad = [
            "", "-", "+", "--1", "1 ", " 1", "1.0", "0x1", "9223372036854775808",
            "-9223372036854775809", "99999999999999999999", "1_000", "１",
        ]
        for text in bad { withView(text) { #expect(Int64(text: $0) == nil, "\(text)") } }
        withView("+7") { #expect(Int64(text: $0) == 7) }
        withView("0007") { #expect(Int64(text: $0) == 7) }
        for text in ["", "-1", "+1", "18446744073709551616"] {
            withView(text) { #expect(UInt64(text: $0) == nil) }
        }
    }

    @Test func digitCountsAreExact() {
        for power in 0...38 {
            let ten = UInt128(tenToThe: power)
            #expect(ten.digitCount == power + 1)
            #expect((ten - 1).digitCount == max(1, power))
        }
        #expect(UInt128.max.digitCount == 39 && UInt64.max.digitCount == 20)
        for bit in 0..<128 {
            let value = UInt128(1) << bit
            #expect(value.digitCount == String(value).count)
        }
    }

    @Test func doublesHaveTheirShortestText() {
        var random = SeededRandom.fresh("doubles")
        var all: [Double] = [
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 0x1p53, 0x1p53 - 1, 0x1p53 + 2, -0x1p53, 1e20, 1e22,
            1e23, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 2.5,
            123_456_789.25,
        ]
        for _ in 0..<5000 {
            all.append(Double(bitPattern: random.next()))
            all.append(Double(Int64(truncatingIfNeeded: random.next() >> 11)))
            all.append(Double(random.next() >> 40) / 100)
            all.append(-Double(random.next() >> (4 + random.next() % 60)) / 1e6)
            all.append(Double(random.next() >> (14 + random.next() % 50)) / 1e7)
            all.append((Double(random.next() >> 40) / 100).nextUp)
        }
        for value in all where value.isFinite {
            let text = written { $0.append(number: value) }
            #expect(text == value.description)
            withView(text) { #expect(Double(text: $0)?.bitPattern == value.bitPattern, "\(text)") }
            #expect(written { $0.append(json: value) } == text)
            let small = Float(value)
            if small.isFinite {
                let text = written { $0.append(number: small) }
                #expect(text == small.description)
                withView(text) { #expect(Float(text: $0)?.bitPattern == small.bitPattern) }
            }
        }
    }

    @Test func infinityAndNaNHaveTexts() {
        #expect(written { $0.append(number: Double.nan) } == "NaN")
        #expect(written { $0.append(json: -Double.infinity) } == "\"-Infinity\"")
        #expect(written { $0.append(json: Float.nan) } == "\"NaN\"")
        #expect(written { $0.append(number: Float.infinity) } == "Infinity")
        withView("-Infinity") { #expect(Double(text: $0) == -.infinity) }
        withView("inF") { #expect(Float(text: $0) == .infinity) }
        withView("nan") { #expect(Double(text: $0)?.isNaN == true) }
        withView("1e999") { #expect(Double(text: $0) == .infinity) }
        withView("-1e-999") { #expect(Double(text: $0)?.sign == .minus) }
    }

    @Test func longNumeralsAreRoundedCorrectly() {
        let pi = "3.14159265358979323846264338327950288419716939937510582097494459230781640628"
        withView(pi) { #expect(Double(text: $0) == .pi) }
        // Half-way between two doubles except for the last digit.
        withView("9007199254740993.0000000000000000000000000000000000000000000000001") {
            #expect(Double(text: $0) == 9_007_199_254_740_994)
        }
        withView("9007199254740993.0000000000000000000000000000000000000000000000000") {
            #expect(Double(text: $0) == 9_007_199_254_740_992)
        }
        // Rounding to a double first would give the wrong float.
        withView("16777217.0000000000000000001") { #expect(Float(text: $0) == 16_777_218) }
        withView("2.5x") { #expect(Double.prefix(of: $0)! == (2.5, 3)) }
        withView("-infinite") { #expect(Double.prefix(of: $0)! == (-.infinity, 4)) }
        for text in ["", ".", "x", "e5", "--1", "1e5x", "1,5"] {
            withView(text) { #expect(Double(text: $0) == nil, "\(text)") }
        }
    }
}
