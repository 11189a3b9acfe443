/// Parses literals of timestamps (query language 2.5), such as `2024-06-01@10:00:00` and `T0:0`.
extension QueryParser {
    /// Parses `T<seconds>:<nanoseconds>`.
    mutating func epochTime(_ token: QueryToken) throws(RealmError) -> Timestamp {
        let text = String(decoding: bytes(of: token).dropFirst(), as: UTF8.self)
        let parts = text.split(separator: ":")
        guard let seconds = Int64(parts[0]), let nanos = Int32(parts[1]),
            nanos.magnitude < 1_000_000_000
        else { throw badTime(token, "beyond what a date can hold") }
        guard seconds >= 0 && nanos >= 0 || seconds <= 0 && nanos <= 0 else {
            throw badTime(token, "seconds and nanoseconds of a date carry the same sign")
        }
        return Timestamp(seconds: seconds, nanoseconds: nanos)
    }

    /// Parses `Y-M-DTh:m:s` in UTC, with optional `@` for `T` and optional `:ns`. Fields beyond
    /// their range roll over.
    mutating func calendarTime(_ token: QueryToken) throws(RealmError) -> Timestamp {
        let fields = try calendarFields(token)
        guard fields[0] >= 1900 else {
            throw source.error(
                .invalidQuery, "timestamp", at: token.range, "a year before 1900")
        }
        let months = fields[0] * 12 + fields[1] - 1
        let days = CalendarTime.day(
            year: months / 12, month: Int(months % 12) + 1, day: fields[2])
        let seconds = days * 86400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
        let nanos = fields.count > 6 ? Int32(fields[6]) : 0
        return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanos : nanos)
    }

    /// Returns the six or seven numbers of a calendar time, limited so that computations do not
    /// overflow.
    private mutating func calendarFields(_ token: QueryToken) throws(RealmError) -> [Int64] {
        var fields: [Int64] = []
        for part in bytes(of: token).split(whereSeparator: { !QueryLexer.isDigit($0) }) {
            let number = Int64(String(decoding: part, as: UTF8.self))
            guard let number, number < 1_000_000_000 else {
                throw badTime(token, "beyond what a date can hold")
            }
            fields.append(number)
        }
        return fields
    }

    private func badTime(_ token: QueryToken, _ message: String) -> RealmError {
        source.error(.syntax, "timestamp", at: token.range, message)
    }
}
