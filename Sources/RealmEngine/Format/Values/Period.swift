/// A calendar period, such as one hour, day, week, month or quarter.
struct Period: Hashable {
    enum Unit: UInt8 {
        case hour, day, week, month, quarter
    }

    let unit: Unit
    private let year: Int64
    /// Number of the quarter, week or month within its year.
    private let part: Int
    private let day: Int
    private let hour: Int

    /// Makes the calendar period that contains a local time: its hour, day, week, month or quarter,
    /// as `unit` says.
    init(_ unit: Unit, _ time: CalendarTime) {
        self.unit = unit
        day = unit == .hour || unit == .day ? time.day : 0
        hour = unit == .hour ? time.secondOfDay / 3600 : 0
        switch unit {
        case .hour, .day, .month: (year, part) = (time.year, time.month)
        case .quarter: (year, part) = (time.year, (time.month + 2) / 3)
        case .week: (year, part) = Self.week(of: time)
        }
    }

    /// Returns the day of the week, from 1 for Monday to 7 for Sunday.
    static func weekday(_ time: CalendarTime) -> Int {
        let day = CalendarTime.day(year: time.year, month: time.month, day: Int64(time.day))
        // 1970-01-01 was a Thursday.
        let rest = (day + 3) % 7
        return Int(rest < 0 ? rest + 7 : rest) + 1
    }

    /// Returns the ISO week of a time: its year and its number in that year. The year of a week is
    /// the year of its Thursday.
    private static func week(of time: CalendarTime) -> (Int64, Int) {
        let day = CalendarTime.day(year: time.year, month: time.month, day: Int64(time.day))
        let thursday = day + Int64(4 - weekday(time))
        for year in [time.year + 1, time.year, time.year - 1] {
            let first = CalendarTime.day(year: year, month: 1, day: 1)
            if thursday >= first { return (year, Int((thursday - first) / 7) + 1) }
        }
        return (time.year, 1)
    }

    /// The period as in ISO 8601. For a quarter, which ISO 8601 does not have, it is like
    /// `2024-Q2`.
    var text: String {
        let year = Self.digits(self.year.magnitude, 4)
        let sign = self.year < 0 ? "-" : self.year > 9999 ? "+" : ""
        let part = Self.digits(UInt64(self.part), 2)
        return switch unit {
        case .hour:
            "\(sign)\(year)-\(part)-\(Self.digits(UInt64(day), 2))T\(Self.digits(UInt64(hour), 2))"
        case .day: "\(sign)\(year)-\(part)-\(Self.digits(UInt64(day), 2))"
        case .week: "\(sign)\(year)-W\(part)"
        case .month: "\(sign)\(year)-\(part)"
        case .quarter: "\(sign)\(year)-Q\(self.part)"
        }
    }

    private static func digits(_ number: UInt64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
