import RealmEngine
import ToolKit

/// Determines the types that represent all numbers of a property exactly.
struct ObservedNumbers {
    /// For each type, the first number that it cannot represent exactly.
    private var misfits: [ColumnType: String] = [:]
    /// First number that would be rounded in a mixed property; nil if there is none.
    private(set) var roundedInMixed: String?
    /// Whether a number has a fraction or an exponent.
    private var hasFractions = false
    /// Number of numbers without a declared type.
    private var plainCount = 0
    /// Types named by numbers in extended form, such as int for `{"$numberLong":"5"}`.
    private var declared: Set<ColumnType> = []

    var isEmpty: Bool { plainCount == 0 && declared.isEmpty }

    /// Adds a number in decimal notation to the statistics. Notes the numeric types that cannot
    /// represent the number.
    mutating func observe(_ text: ByteView) {
        plainCount += 1
        let form = DecimalForm(text)
        if form.hasFraction { hasFractions = true }
        // A number of at most 15 digits is exact in every type, so it rules out no type of the
        // property.
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

    /// Adds a number whose JSON names its type, such as `{"$numberLong":"5"}`, to the statistics.
    mutating func observe(declared type: ColumnType) { declared.insert(type) }

    private mutating func note(_ type: ColumnType, _ text: ByteView) {
        if misfits[type] == nil { misfits[type] = text.excerpt(of: Self.shown) }
    }

    /// Whether the double nearest to the number is printed as the same number.
    private static func fitsDouble(_ text: ByteView) -> Bool {
        guard let number = Double(text: text), number.isFinite,
            let wanted = Decimal128(text: text)
        else { return false }
        var printed = ByteBuffer(capacity: 64)
        printed.append(number: number)
        let view = ByteView(printed.bytes.baseAddress!, count: printed.count)
        return Decimal128(text: view).map { Decimal128.compare($0, wanted) == 0 } ?? false
    }

    /// The simplest type that represents all numbers without a declared type; nil if there is none.
    private var plainType: ColumnType? {
        let candidates: [ColumnType] = hasFractions ? [.double, .decimal] : [.int, .decimal]
        return candidates.first { misfits[$0] == nil }
    }

    /// Inferred type of the property.
    ///
    /// Numbers in extended form such as `{"$numberLong":"5"}` name a type. If they name several
    /// types, or if a plain number does not fit into the named type, the inferred type is mixed.
    /// Without numbers in extended form, it is the simplest numeric type that represents all
    /// numbers, or string if there is none.
    var type: ColumnType {
        guard let said = declared.first else { return plainType ?? .string }
        if declared.count > 1 { return .mixed }
        let fits = misfits[said] == nil && (said != .int || !hasFractions)
        return plainCount == 0 || fits ? said : .mixed
    }

    /// Explains an unusual inferred type: a number that does not fit into the usual type, and the
    /// usual type. The usual type is int, or double if numbers have fractions. Nil if the inferred
    /// type is the usual one.
    var widening: (number: String, from: ColumnType)? {
        guard declared.isEmpty else { return nil }
        let usual: ColumnType = hasFractions ? .double : .int
        guard let number = misfits[usual] else { return nil }
        return (misfits[plainType == nil ? .decimal : usual] ?? number, usual)
    }
}

/// Digits and exponent of a number in decimal notation. They determine which types represent it
/// exactly.
private struct DecimalForm {
    private(set) var hasFraction = false
    private var hasExponent = false
    /// Number of digits from the first to the last nonzero digit: 3 for `0.0102`.
    private var digits = 0
    /// Power of ten of the last nonzero digit, such as 1 in `120` and -2 in `0.05`.
    private var exponent = 0

    init(_ text: ByteView) {
        var zeros = 0
        var fractionDigits = 0
        for i in 0..<text.count {
            switch text[i] {
            case UInt8(ascii: "."): hasFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if hasFraction { fractionDigits += 1 }
                if text[i] == UInt8(ascii: "0") {
                    zeros += 1
                } else {
                    digits += digits == 0 ? 1 : zeros + 1
                    zeros = 0
                }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                hasExponent = true
                exponent = Self.exponent(text, from: i + 1) - fractionDigits + zeros
                hasFraction = true
                return
            default: break
            }
        }
        exponent = zeros - fractionDigits
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

    /// Whether the number has at most 15 digits, including zeros up to the decimal point.
    var isShort: Bool { !hasExponent && digits + abs(exponent) <= 15 }

    /// Whether the number has at most 34 digits and an exponent in the range of Decimal128.
    var fitsDecimal: Bool {
        digits == 0 || (digits <= 34 && exponent >= -6176 && exponent + digits <= 6145)
    }
}
