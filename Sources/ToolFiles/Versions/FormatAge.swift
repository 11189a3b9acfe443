/// When files of a format were written, and what can be done with files of an old format.
struct FormatAge {
    /// Period in which SDKs wrote the format, as a range of months or a year; `current` for the
    /// format that SDKs write now.
    let span: String
    /// Tools and options that can read or convert a file of this format; nil for the current
    /// format.
    let advice: String?

    /// Returns nil for a format that no SDK has written.
    init?(format: Int) {
        guard let span = Self.spans[format] else { return nil }
        self.span = span
        switch format {
        case 2...9:
            advice = "query, export, compare, --check, --salvage; --to-format 24 -o NEW converts it"
        case 10, 11: advice = "readable; --to-format 24 -o NEW converts it"
        case 20...23: advice = "readable; newer SDKs convert it in place, permanently"
        default: advice = nil
        }
    }

    private static let spans = [
        2: "2014-07 to 2015-10", 3: "2015-09 to 2016-04", 4: "2016-03 to 2016-04",
        5: "2016-04 to 2016-08", 6: "2016-09 to 2017-03", 7: "2017-03 to 2017-09",
        8: "2017-08 to 2017-09", 9: "2017-09 to 2020-03", 10: "2020", 11: "2020",
        20: "2020-10 to 2021-06", 21: "2021", 22: "2021-06 to 2022-11", 23: "2022-11 to 2024-02",
        24: "current",
    ]
}
