/// An instant as date and time of day in UTC. The calendar is the Gregorian one for all times; the
/// year before 1 is 0.
struct CalendarTime: Equatable {
    var year: Int64
    /// 1 ... 12
    var month: Int
    /// 1 ... 31
    var day: Int
    /// 0 ... 86,399
    var secondOfDay: Int
    /// 0 ... 999,999,999
    var nanosecond: Int

    /// Converts any timestamp to date and time of day, even if the seconds and nanoseconds have
    /// different signs or the nanoseconds exceed a second.
    init(_ time: Timestamp) {
        let (carry, nanosecond) = floorDivide(Int64(time.nanoseconds), 1_000_000_000)
        let (wholeDays, rest) = floorDivide(time.seconds, 86_400)
        let (extraDays, second) = floorDivide(rest + carry, 86_400)
        self.nanosecond = Int(nanosecond)
        secondOfDay = Int(second)
        (year, month, day) = Self.date(ofDay: wholeDays + extraDays)
    }

    /// Returns the date `day` days after 1970-01-01. The computation uses years that begin in
    /// March, in which the leap day comes last. 400 years have 146,097 days.
    private static func date(ofDay day: Int64) -> (Int64, Int, Int) {
        let (cycle, dayOfCycle) = floorDivide(day + 719_468, 146_097)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        return (year, Int(month), Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1))
    }

    /// Returns the number of days from 1970-01-01 to the date. `day` may be outside of the month.
    /// The year may be at most some hundred thousand million years away, which holds for all
    /// timestamps.
    static func day(year: Int64, month: Int, day: Int64) -> Int64 {
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let (cycle, yearOfCycle) = floorDivide(month > 2 ? year : year - 1, 400)
        let dayOfYear = (153 * monthFromMarch + 2) / 5
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * 146_097 + dayOfCycle - 719_468 + day - 1
    }

    static func daysInMonth(_ month: Int, year: Int64) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}

/// Divides and rounds the quotient down, so that the remainder is never negative.
private func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
}

extension Timestamp {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    var totalNanoseconds: Int128 {
        Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
    }

    /// Returns nil if the seconds exceed 64 bits.
    package init?(totalNanoseconds total: Int128) {
        let (seconds, rest) = total.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard let seconds = Int64(exactly: seconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: Int32(rest))
    }
}
