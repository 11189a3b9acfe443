/// Formats quantities for people: in tables, progress lines and summaries.
package enum Quantity {
    /// Formats bytes with a binary unit and one decimal: `512 B`, `84.2 KiB`, `2.3 GiB`.
    package static func bytes(_ count: Int) -> String {
        if count < 1024 { return "\(max(0, count)) B" }
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(count) / 1024
        var unit = 0
        // 1023.95 would be rounded to 1024.0.
        while value >= 1023.95, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        return "\(oneDecimal(value)) \(units[unit])"
    }

    /// Formats a duration in seconds, minutes or hours with one decimal: `2.3 s`, `4.0 min`, `1.5
    /// h`.
    package static func seconds(_ seconds: Double) -> String {
        if seconds < 99.95 { return oneDecimal(seconds) + " s" }
        if seconds < 5997 { return oneDecimal(seconds / 60) + " min" }
        return oneDecimal(min(seconds / 3600, 1e6)) + " h"
    }

    /// Formats a number with two decimals: `0.50`. The number is clamped to 0 to 2^50.
    package static func twoDecimals(_ value: Double) -> String {
        let hundredths = Int((min(max(0, value), 0x1p50) * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Formats a number with one decimal. The number is clamped to 0 to 2^50.
    package static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((min(max(0, value), 0x1p50) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
