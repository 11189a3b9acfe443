/// The offset of local time from UTC at any time: a fixed offset, or the rules from a TZif file
/// (RFC 8536).
package struct ZoneRules: Sendable {
    /// Times at which the offset of local time from UTC changes, in seconds since 1970, ascending.
    /// `offsets` contains the offset from each of these times on.
    private var starts: [Int64] = []
    private var offsets: [Int64] = []
    /// Offset from UTC before the first of `starts`.
    private var first: Int64
    /// Yearly rule for daylight saving time after the last of `starts`; nil if the last offset
    /// applies for ever.
    private var rule: YearlyRule?

    package static let utc = ZoneRules(offset: 0)

    /// - Parameter offset: seconds by which local time is ahead of UTC; positive east of Greenwich.
    package init(offset: Int64) { first = offset }

    /// Whether the offset is always zero.
    var isUTC: Bool { starts.isEmpty && first == 0 && rule == nil }

    /// Returns the number of seconds by which local time is ahead of UTC at a time.
    func offset(at seconds: Int64) -> Int64 {
        if let last = starts.last, seconds < last {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] <= seconds { low = middle + 1 } else { high = middle }
            }
            return low == 0 ? first : offsets[low - 1]
        }
        return rule?.offset(at: seconds) ?? offsets.last ?? first
    }

    /// Returns the local date and time at a moment.
    func local(_ time: Timestamp) -> CalendarTime {
        let (seconds, isOverflow) = time.seconds.addingReportingOverflow(offset(at: time.seconds))
        return CalendarTime(
            Timestamp(
                seconds: isOverflow ? time.seconds : seconds, nanoseconds: time.nanoseconds))
    }
}

extension ZoneRules {
    /// Parses `Z`, `+02:00`, `-0330` or `+5`; nil for other text.
    package init?(offset text: String) {
        if text == "Z" || text == "UTC" {
            self.init(offset: 0)
            return
        }
        let bytes = Array(text.utf8)
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return nil
        }
        var digits = Array(bytes.dropFirst())
        if digits.count > 3, digits[digits.count - 3] == UInt8(ascii: ":") {
            digits.remove(at: digits.count - 3)
        }
        guard 1...4 ~= digits.count, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        let (hours, minutes) = digits.count < 3 ? (number, 0) : (number / 100, number % 100)
        guard hours <= 24, minutes < 60 else { return nil }
        let offset = hours * 3600 + minutes * 60
        self.init(offset: sign == UInt8(ascii: "-") ? -offset : offset)
    }

    /// Parses the rules in a TZif file. Returns nil if the bytes are no such file.
    package init?(tzif bytes: [UInt8]) {
        var reader = TZifReader(bytes)
        guard let head = reader.header() else { return nil }
        // A TZif file of version 2 or later has two data blocks: one with times of 32 bits, then
        // one with the same and further times, of 64 bits.
        var block = head
        var width = 4
        if head.version >= 2 {
            guard reader.skip(head.size(4)), let second = reader.header() else { return nil }
            (block, width) = (second, 8)
        }
        guard let (starts, types) = reader.transitions(block, width),
            let offsets = reader.offsets(block), reader.skip(block.rest(width))
        else { return nil }
        guard types.allSatisfy({ $0 < offsets.count }), let first = offsets.first,
            zip(starts, starts.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.first = first
        self.starts = starts
        self.offsets = types.map { offsets[$0] }
        if width == 8, let text = reader.footer(), !text.isEmpty {
            guard let rule = YearlyRule(text) else { return nil }
            self.rule = rule
        }
    }
}

/// Parses the parts of a TZif file one after the other.
private struct TZifReader {
    struct Header {
        let version: Int
        let utCount, standardCount, leapCount, timeCount, typeCount, charCount: Int

        /// Size in bytes of the TZif data block after its header. `width` is the size of a stored
        /// time: 4 or 8 bytes.
        func size(_ width: Int) -> Int { timeCount * (width + 1) + typeCount * 6 + rest(width) }

        /// Size in bytes of the block's last part: zone names, leap seconds and flags.
        func rest(_ width: Int) -> Int {
            charCount + leapCount * (width + 4) + standardCount + utCount
        }
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func header() -> Header? {
        guard bytes.count - at >= 44, bytes[at..<(at + 4)].elementsEqual("TZif".utf8) else {
            return nil
        }
        let version = bytes[at + 4] == 0 ? 1 : Int(bytes[at + 4]) - 0x30
        at += 20
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(Int(number(4))) }
        guard counts.allSatisfy({ $0 >= 0 && $0 <= bytes.count }) else { return nil }
        return Header(
            version: version, utCount: counts[0], standardCount: counts[1], leapCount: counts[2],
            timeCount: counts[3], typeCount: counts[4], charCount: counts[5])
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bytes.count - at else { return false }
        at += count
        return true
    }

    /// Reads the times at which the offset of local time from UTC changes. For each time, also
    /// returns the index of the new offset in the result of `offsets`.
    mutating func transitions(_ block: Header, _ width: Int) -> (starts: [Int64], types: [Int])? {
        guard block.timeCount * (width + 1) <= bytes.count - at else { return nil }
        let starts = (0..<block.timeCount).map { _ in number(width) }
        let types = (0..<block.timeCount).map { _ in Int(number(1) & 0xFF) }
        return (starts, types)
    }

    /// Reads the offsets of local time from UTC, in seconds, positive east of Greenwich.
    mutating func offsets(_ block: Header) -> [Int64]? {
        guard block.typeCount * 6 <= bytes.count - at else { return nil }
        return (0..<block.typeCount).map { _ in
            let offset = number(4)
            at += 2
            return offset
        }
    }

    /// Returns the text at the current position, which is between two line feeds and ends a TZif
    /// file: the rule for later times. Nil if there is none.
    func footer() -> [UInt8]? {
        guard at < bytes.count, bytes[at] == 0x0A,
            let end = bytes[(at + 1)...].firstIndex(of: 0x0A)
        else { return nil }
        return Array(bytes[(at + 1)..<end])
    }

    /// Reads a signed big-endian number of `width` bytes, which must be inside the file.
    private mutating func number(_ width: Int) -> Int64 {
        var value: UInt64 = 0
        for byte in bytes[at..<(at + width)] { value = value << 8 | UInt64(byte) }
        at += width
        let shift = UInt64(64 - 8 * width)
        return Int64(bitPattern: value << shift) >> Int64(shift)
    }
}

/// A yearly rule for daylight saving time, in the notation of POSIX: `CET-1CEST,M3.5.0,M10.5.0/3`.
private struct YearlyRule: Sendable {
    private let standard: Int64
    private var summer: (offset: Int64, from: Change, to: Change)?

    private enum Day {
        /// Day of the year from 1 to 365; 29 February is not counted.
        case julian(Int64)
        /// Day of the year from 0 to 365; 29 February is counted.
        case ofYear(Int64)
        case weekday(month: Int, week: Int64, day: Int64)
    }

    private struct Change {
        let day: Day
        /// Time of the day when the offset of local time changes, in seconds since local midnight.
        let time: Int64

        /// Returns the moment in `year` when this rule changes the offset, in seconds of local time
        /// since 1970.
        func seconds(_ year: Int64) -> Int64 {
            let first = CalendarTime.day(year: year, month: 1, day: 1)
            let number: Int64
            switch day {
            case .ofYear(let day): number = first + day
            case .julian(let day):
                let isLeap = CalendarTime.daysInMonth(2, year: year) == 29
                number = first + day - 1 + (isLeap && day >= 60 ? 1 : 0)
            case .weekday(let month, let week, let day):
                let start = CalendarTime.day(year: year, month: month, day: 1)
                // 1970-01-01 was a Thursday.
                let weekday = ((start + 4) % 7 + 7) % 7
                var offset = (day - weekday + 7) % 7 + (week - 1) * 7
                if offset >= Int64(CalendarTime.daysInMonth(month, year: year)) { offset -= 7 }
                number = start + offset
            }
            return number * 86_400 + time
        }
    }

    init?(_ text: [UInt8]) {
        var reader = Reader(text)
        guard reader.name(), let west = reader.time() else { return nil }
        standard = -west
        if reader.isAtEnd { return }
        guard reader.name() else { return nil }
        var offset = standard + 3600
        if !reader.isNext(",") {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard reader.take(","), let from = reader.change(), reader.take(","),
            let to = reader.change(), reader.isAtEnd
        else { return nil }
        summer = (offset, from, to)
    }

    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CalendarTime(Timestamp(seconds: seconds, nanoseconds: 0)).year
        let from = summer.from.seconds(year) - standard
        let to = summer.to.seconds(year) - summer.offset
        let isSummer = from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to
        return isSummer ? summer.offset : standard
    }

    private struct Reader {
        private let text: [UInt8]
        private var at = 0

        init(_ text: [UInt8]) { self.text = text }

        var isAtEnd: Bool { at == text.count }

        func isNext(_ character: Unicode.Scalar) -> Bool {
            at < text.count && text[at] == UInt8(ascii: character)
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard isNext(character) else { return false }
            at += 1
            return true
        }

        /// Parses the name of a zone, such as `CET` or `<+03>`.
        mutating func name() -> Bool {
            let start = at
            if take("<") {
                while at < text.count, !isNext(">") { at += 1 }
                return take(">")
            }
            while at < text.count, (text[at] | 0x20) &- 0x61 < 26 { at += 1 }
            return at > start
        }

        private mutating func number() -> Int64? {
            let start = at
            var value: Int64 = 0
            while at < text.count, text[at] &- 0x30 < 10, at - start < 6 {
                value = value * 10 + Int64(text[at] - 0x30)
                at += 1
            }
            return at > start ? value : nil
        }

        /// Parses a time `[+-]h[:m[:s]]` and returns seconds.
        mutating func time() -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number() else { return nil }
            var seconds = hours * 3600
            for unit in [Int64(60), 1] {
                guard take(":") else { break }
                guard let part = number() else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }

        mutating func change() -> Change? {
            let day: Day
            if take("J") {
                guard let number = number(), 1...365 ~= number else { return nil }
                day = .julian(number)
            } else if take("M") {
                guard let month = number(), 1...12 ~= month, take("."), let week = number(),
                    1...5 ~= week, take("."), let weekday = number(), 0...6 ~= weekday
                else { return nil }
                day = .weekday(month: Int(month), week: week, day: weekday)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                day = .ofYear(number)
            }
            guard take("/") else { return Change(day: day, time: 7200) }
            guard let time = time() else { return nil }
            return Change(day: day, time: time)
        }
    }
}
