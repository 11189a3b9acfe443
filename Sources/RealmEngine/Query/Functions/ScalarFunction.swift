/// Functions of one value, by their names in the extended query language.
///
/// Functions of a date name the stretch of time that it is in, in the time zone of the query: texts in
/// the forms of ISO 8601, whose order is that of time for four-digit years, or numbers.
package enum ScalarFunction: String, CaseIterable, Sendable {
    /// `2024-06-01T14`
    case hour
    /// `2024-06-01`
    case day
    /// `2024-W22`, the week that its Thursday is in.
    case week
    /// `2024-06`
    case month
    /// `2024-Q2`
    case quarter
    /// 2024
    case year
    /// 1 for Monday to 7 for Sunday.
    case weekday
    /// The multiple of a width that a number is not below.
    case floor

    /// Whether its values are numbers.
    package var isNumber: Bool {
        switch self {
        case .year, .weekday, .floor: true
        case .hour, .day, .week, .month, .quarter: false
        }
    }

    static func named(_ name: String) -> ScalarFunction? { ScalarFunction(rawValue: name) }
}
