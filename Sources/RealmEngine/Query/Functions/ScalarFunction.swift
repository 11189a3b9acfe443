/// Functions of one value, with their names in the extended query language.
///
/// Functions of a date return the period that contains it, in the time zone of the query. The
/// result is a number or a text in ISO 8601 form; such texts sort chronologically for four-digit
/// years.
package enum ScalarFunction: String, CaseIterable, Sendable {
    /// `2024-06-01T14`
    case hour
    /// `2024-06-01`
    case day
    /// `2024-W22`, the ISO week of the date.
    case week
    /// `2024-06`
    case month
    /// `2024-Q2`
    case quarter
    /// Year of the date, such as `2024`, as a number.
    case year
    /// Weekday as a number: 1 for Monday to 7 for Sunday.
    case weekday
    /// `floor(x, w)`: the largest multiple of `w` that is not above the number `x`.
    case floor

    /// Whether the result of the function is a number.
    package var isNumber: Bool {
        switch self {
        case .year, .weekday, .floor: true
        case .hour, .day, .week, .month, .quarter: false
        }
    }

    /// Whether the function is defined for operands of a type.
    func takes(_ type: OperandType) -> Bool {
        switch type {
        case .mixed: true
        case .int, .float, .double: self == .floor
        case .timestamp: self != .floor
        default: false
        }
    }

    /// The types of operands that the function accepts, in words, for error messages.
    package var takenTypes: String { self == .floor ? "an int, float or double" : "a date" }

    static func named(_ name: String) -> ScalarFunction? { ScalarFunction(rawValue: name) }
}
