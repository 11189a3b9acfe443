import Testing

@testable import EngineSupport
@testable import RealmEngine

private func rfc3339(_ seconds: Int64, _ nanoseconds: Int32 = 0) -> String {
    let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    return written { $0.append(rfc3339: time) }
}

private func time(_ text: String) -> Timestamp? { withView(text) { Timestamp(text: $0) } }

@Suite struct TimeTextTests {
    @Test func knownInstantsHaveTheirTexts() {
        #expect(rfc3339(0) == "1970-01-01T00:00:00Z")
        #expect(rfc3339(1_741_079_564, 123_456_789) == "2025-03-04T09:12:44.123456789Z")
        #expect(rfc3339(1_741_079_564, 500_000_000) == "2025-03-04T09:12:44.5Z")
        #expect(rfc3339(1_741_079_564, 1) == "2025-03-04T09:12:44.000000001Z")
        #expect(rfc3339(-1, -999_999_999) == "1969-12-31T23:59:58.000000001Z")
        #expect(rfc3339(0, -1) == "1969-12-31T23:59:59.999999999Z")
        #expect(rfc3339(951_782_400) == "2000-02-29T00:00:00Z")
        #expect(rfc3339(253_402_300_799) == "9999-12-31T23:59:59Z")
        #expect(rfc3339(253_402_300_800) == "+10000-01-01T00:00:00Z")
        #expect(rfc3339(-62_135_596_800) == "0001-01-01T00:00:00Z")
        #expect(rfc3339(-62_167_219_200) == "0000-01-01T00:00:00Z")
        #expect(rfc3339(-62_167_219_201) == "-0001-12-31T23:59:59Z")
        #expect(rfc3339(.max, 999_999_999) == "+292277026596-12-04T15:30:07.999999999Z")
        #expect(rfc3339(.min, -999_999_999) == "-292277022657-01-27T08:29:51.000000001Z")
    }

    /// Nanoseconds out of range or of the wrong sign, as in a damaged file.
    @Test func nanosecondsOutOfRangeAreNormalised() {
        #expect(rfc3339(10, -1) == "1970-01-01T00:00:09.999999999Z")
        #expect(rfc3339(0, .max) == "1970-01-01T00:00:02.147483647Z")
        for seconds in [Int64.min, .max, 0] {
            for nanoseconds in [Int32.min, .max, 0, 1, -1] {
                let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
                #expect(rfc3339(seconds, nanoseconds).last == "Z")
                #expect(written { $0.append(unixSeconds: time) }.count > 0)
                let total = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
                #expect(written { $0.append(unixNanoseconds: time) } == String(total))
            }
        }
    }

    /// Every day of two cycles of 400 years.
    @Test func consecutiveDaysHaveConsecutiveDates() {
        var (year, month, day) = (Int64(1599), 12, 31)
        let first = CalendarTime.day(year: 1600, month: 1, day: 1)
        for number in first..<first + 2 * 146_097 {
            day += 1
            if day > CalendarTime.daysInMonth(month, year: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
            let date = CalendarTime(Timestamp(seconds: number * 86_400, nanoseconds: 0))
            let isRight = date.year == year && date.month == month && date.day == day
            let back = CalendarTime.day(year: year, month: month, day: Int64(day))
            if !isRight || back != number { Issue.record("\(date) for \(year)-\(month)-\(day)") }
        }
        #expect(year == 2399 && month == 12 && day == 31)
    }

    @Test func instantsRoundTripAsText() {
        var random = SeededRandom.fresh("instants")
        for _ in 0..<20_000 {
            let shift = Int64.random(in: 0..<64, using: &random)
            let seconds = Int64(bitPattern: random.next()) >> shift
            var nanoseconds = Int32.random(in: 0...999_999_999, using: &random)
            if seconds < 0 || (seconds == 0 && Bool.random(using: &random)) { nanoseconds.negate() }
            let instant = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
            #expect(time(rfc3339(seconds, nanoseconds)) == instant)
        }
        for instant in [
            Timestamp(seconds: .max, nanoseconds: 999_999_999),
            Timestamp(seconds: .min, nanoseconds: -999_999_999),
        ] {
            #expect(time(rfc3339(instant.seconds, instant.nanoseconds)) == instant)
        }
    }

    @Test func unixSecondsHaveTheirTexts() {
        func unix(_ seconds: Int64, _ nanoseconds: Int32) -> String {
            let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
            return written { $0.append(unixSeconds: time) }
        }
        #expect(
            unix(0, 0) == "0" && unix(1, 500_000_000) == "1.5" && unix(-1, -5) == "-1.000000005")
        #expect(unix(0, -500_000_000) == "-0.5" && unix(.min, 0) == "-9223372036854775808")
        let last = Timestamp(seconds: .max, nanoseconds: 999_999_999)
        #expect(written { $0.append(unixNanoseconds: last) } == "9223372036854775807999999999")
        #expect(Timestamp(totalNanoseconds: last.totalNanoseconds) == last)
        #expect(Timestamp(totalNanoseconds: last.totalNanoseconds + 1) == nil)
        #expect(Timestamp(totalNanoseconds: -1) == Timestamp(seconds: 0, nanoseconds: -1))
    }

    @Test func otherSpellingsAreRead() {
        let instant = Timestamp(seconds: 1_741_079_564, nanoseconds: 0)
        let same = [
            "2025-03-04T09:12:44Z", "2025-03-04t09:12:44z", "2025-03-04 09:12:44.000Z",
            "2025-03-04T09:12:44+00:00", "2025-03-04T10:42:44+01:30", "2025-03-03T23:12:44-10:00",
            "2025-03-04T09:12:44.00000000000000Z", "+2025-03-04T09:12:44,0Z",
        ]
        for text in same { #expect(time(text) == instant, "\(text)") }
        #expect(time("2016-12-31T23:59:60Z") == time("2017-01-01T00:00:00Z"))
        #expect(time("-0000-03-01T00:00:00Z") == time("0000-03-01T00:00:00Z"))
    }

    @Test func textThatIsNoTimeIsRejected() {
        let bad = [
            "", "2025-03-04", "2025-03-04T09:12:44", "2025-03-04T09:12Z", "2025-3-4T09:12:44Z",
            "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z", "2025-01-00T00:00:00Z", "2025-04-31T00:00:00Z",
            "2025-03-04T24:00:00Z", "2025-03-04T09:60:00Z", "2025-03-04T09:12:61Z",
            "2025-03-04T09:12:60Z", "2025-03-04T09:12:44.Z", "2025-03-04T09:12:44.0000000001Z",
            "2025-03-04T09:12:44Z ", "2025-03-04T09:12:44+0100", "2025-03-04T09:12:44+24:00",
            "12025-03-04T09:12:44Z", "+292277026596-12-04T15:30:08Z",
            "+999999999999-01-01T00:00:00Z",
            "+9999999999999-01-01T00:00:00Z", "２025-03-04T09:12:44Z",
        ]
        for text in bad { #expect(time(text) == nil, "\(text)") }
        // Every prefix of a valid text is invalid.
        let good = "+12025-03-04T09:12:44.123456789+01:00"
        for length in 0..<good.count { #expect(time(String(good.prefix(length))) == nil) }
        #expect(time(good) != nil)
    }
}
