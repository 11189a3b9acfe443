import Foundation
import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Time zones and calendar periods agree with Foundation.
@Suite struct PeriodTests {
    @Test(arguments: [
        "Europe/Copenhagen", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
        "Africa/Casablanca",
        "America/Santiago", "Pacific/Apia", "UTC", "Etc/GMT+5", "Asia/Tehran", "Europe/Dublin",
    ])
    func zonesAgreeWithFoundation(_ name: String) throws {
        let path = "/usr/share/zoneinfo/\(name)"
        guard let bytes = FileManager.default.contents(atPath: path) else { return }
        let rules = try #require(ZoneRules(tzif: [UInt8](bytes)))
        let zone = try #require(TimeZone(identifier: name))
        var random = SeededRandom(seed: 46)
        for _ in 0..<2000 {
            // Foundation has its own data, which agree from 1970 on.
            let seconds = Int64(random.below(3_500_000_000))
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(
                rules.offset(at: seconds) == Int64(zone.secondsFromGMT(for: date)), "\(seconds)")
        }
    }

    @Test(arguments: [
        ("Z", 0), ("+02:00", 7200), ("-0330", -12600), ("+5", 18000), ("+00:30", 1800),
    ])
    func offsetsAreRead(_ text: String, _ offset: Int64) {
        #expect(ZoneRules(offset: text)?.offset(at: 0) == offset)
    }

    @Test(arguments: ["", "2", "+", "+25", "+01:60", "+1:2:3", "+x", "++1"])
    func malformedOffsetsAreRejected(_ text: String) { #expect(ZoneRules(offset: text) == nil) }

    /// Every prefix and every changed byte of a zone file gives rules or nil, never a crash.
    @Test func damagedZoneFilesAreRefused() throws {
        guard
            let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/Europe/Copenhagen")
        else { return }
        let bytes = [UInt8](data)
        for end in 0..<bytes.count { _ = ZoneRules(tzif: Array(bytes[..<end])) }
        var random = SeededRandom(seed: 47)
        for _ in 0..<3000 {
            var changed = bytes
            for _ in 0..<3 { changed[random.below(bytes.count)] = UInt8(random.below(256)) }
            if let rules = ZoneRules(tzif: changed) { _ = rules.offset(at: .max) }
        }
    }

    @Test func periodsAgreeWithFoundation() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var random = SeededRandom(seed: 48)
        for _ in 0..<3000 {
            let seconds = Int64(random.below(6_000_000_000)) - 2_000_000_000
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .weekday, .weekOfYear, .yearForWeekOfYear],
                from: Date(timeIntervalSince1970: Double(seconds)))
            let time = CalendarTime(Timestamp(seconds: seconds, nanoseconds: 0))
            let (year, month, day) = (parts.year!, parts.month!, parts.day!)
            let date = String(format: "%04d-%02d-%02d", year, month, day)
            #expect(Period(.day, time).text == date)
            #expect(Period(.hour, time).text == date + String(format: "T%02d", parts.hour!))
            #expect(Period(.month, time).text == String(format: "%04d-%02d", year, month))
            #expect(
                Period(.quarter, time).text == String(format: "%04d-Q%d", year, (month + 2) / 3))
            let week = String(format: "%04d-W%02d", parts.yearForWeekOfYear!, parts.weekOfYear!)
            #expect(Period(.week, time).text == week, "\(date)")
            #expect(Period.weekday(time) == (parts.weekday! + 5) % 7 + 1)
        }
    }

    @Test func extremeTimestampsHavePeriods() {
        for seconds in [Int64.min, -1, 0, .max] {
            let time = CalendarTime(Timestamp(seconds: seconds, nanoseconds: 0))
            for unit in [Period.Unit.hour, .day, .week, .month, .quarter] {
                #expect(!Period(unit, time).text.isEmpty)
            }
            #expect(1...7 ~= Period.weekday(time))
        }
    }
}
