import RealmEngine
import ToolKit

/// The numbers of one property: which types hold every one of them exactly.
struct ObservedNumbers {
    /// The first number that each type does not hold.
    private var misfits: [ColumnType: String] = [:]
    /// A number that a mixed property rounds; nil if there is none.
    private(set) var roundedInMixed: String?
    /// A number has a fraction or an exponent.
    private var hasFractions = false
    /// Numbers that do not say their type.
    private var plainCount = 0
    /// Types that numbers say themselves, as `$numberLong` does.
    private var declared: Set<ColumnType> = []

    var isEmpty: Bool { plainCount == 0 && declared.isEmpty }

    /// Takes account of a number in digits.
    mutating func observe(_ text: ByteView) {
        plainCount += 1
        let form = DecimalForm(text)
        if form.hasFraction { hasFractions = true }
        // So few digits are exact in every type.
        if form.isShort { return }
        let isInt = !form.hasFraction && Int64(text: text) != nil
        if !isInt, !form.hasFraction { note(.int, text) }
        let fitsDecimal = form.fitsDecimal
        let fitsDouble = fitsDecimal && Self.fitsDouble(text)
        if !fitsDecimal { note(.decimal, text) }
        if !fitsDouble { note(.double, text) }
        if form.hasFraction ? !fitsDouble : !isInt && !fitsDecimal {
            roundedInMixed = roundedInMixed ?? text.excerpt(of: Self.shown)
        }
    }

    private static let shown = 60

    /// Takes account of a number that says its type.
    mutating func observe(declared type: ColumnType) { declared.insert(type) }

    private mutating func note(_ type: ColumnType, _ text: ByteView) {
        if misfits[type] == nil { misfits[type] = text.excerpt(of: Self.shown) }
    }

    /// Whether the double is printed as the same number.
    private static func fitsDouble(_ text: ByteView) -> Bool {
        guard let number = Double(text: text), number.isFinite,
            let wanted = Decimal128(text: text)
        else { return false }
        var printed = ByteBuffer(capacity: 64)
        printed.append(number: number)
        let view = ByteView(printed.bytes.baseAddress!, count: printed.count)
        return Decimal128(text: view).map { Decimal128.compare($0, wanted) == 0 } ?? false
    }

    /// The simplest type that holds all numbers; nil where none does.
    private var plainType: ColumnType? {
        let candidates: [ColumnType] = hasFractions ? [.double, .decimal] : [.int, .decimal]
        return candidates.first { misfits[$0] == nil }
    }

    /// The type of the property: mixed where types that numbers say themselves do not agree, string
    /// where no type of number holds all of them.
    var type: ColumnType {
        guard let said = declared.first else { return plainType ?? .string }
        if declared.count > 1 { return .mixed }
        let fits = misfits[said] == nil && (said != .int || !hasFractions)
        return plainCount == 0 || fits ? said : .mixed
    }

    /// Which number made the type another than the usual one, and that; nil if it is the usual one.
    var widening: (number: String, from: ColumnType)? {
        guard declared.isEmpty else { return nil }
        let usual: ColumnType = hasFractions ? .double : .int
        guard let number = misfits[usual] else { return nil }
        return (misfits[plainType == nil ? .decimal : usual] ?? number, usual)
    }
}

/// The digits of a number in text, as far as exactness depends on them.
private struct DecimalForm {
    private(set) var hasFraction = false
    private var hasExponent = false
    /// Between the first and the last digit that is not 0.
    private var digits = 0
    /// Power of ten of the last of them.
    private var exponent = 0

    init(_ text: ByteView) {
        var zeros = 0
        var behindPoint = 0
        for i in 0..<text.count {
            switch text[i] {
            case UInt8(ascii: "."): hasFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if hasFraction { behindPoint += 1 }
                if text[i] == UInt8(ascii: "0") {
                    zeros += 1
                } else {
                    digits += digits == 0 ? 1 : zeros + 1
                    zeros = 0
                }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                hasExponent = true
                exponent = Self.exponent(text, from: i + 1) - behindPoint + zeros
                hasFraction = true
                return
            default: break
            }
        }
        exponent = zeros - behindPoint
    }

    private static func exponent(_ text: ByteView, from start: Int) -> Int {
        var value = 0
        var isNegative = false
        for i in start..<text.count {
            if text[i] == UInt8(ascii: "-") { isNegative = true }
            guard text[i] >= 0x30, text[i] <= 0x39 else { continue }
            value = min(value * 10 + Int(text[i] - 0x30), 1_000_000)
        }
        return isNegative ? -value : value
    }

    /// At most 15 digits in all, none of them far from the point.
    var isShort: Bool { !hasExponent && digits + abs(exponent) <= 15 }

    /// 34 digits at most, within the exponents of the type.
    var fitsDecimal: Bool {
        digits == 0 || (digits <= 34 && exponent >= -6176 && exponent + digits <= 6145)
    }
}
