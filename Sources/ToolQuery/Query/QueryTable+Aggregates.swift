import RealmEngine
import ToolKit

extension QueryTable {
    /// Manual section about aggregate functions, generated from their table.
    static let aggregates: [ManualBlock] = [
        .paragraph(
            "The LIST of `--aggregate` contains these functions, separated by commas. P is a "
                + "property with single values:"),
        .definitions(AggregateFunction.all.map { ("`\($0.form)`", $0.summary) }),
        .paragraph(
            "Nulls are ignored. NaN is ignored too, with two exceptions: `count(distinct P)` "
                + "counts it, and of `mixed` values, `sum(P)`, `avg(P)`, `min(P)` and `max(P)` "
                + "ignore only a NaN of type `decimal128`. Sums of `mixed` values add only the "
                + "numbers, and the result is a `decimal128`. \(names(.numbers)) accept numbers; "
                + "\(names(.ordered)) also accept dates; `count(distinct P)` accepts all types."),
        .paragraph(
            "`--group-by`, `--sort`, `--distinct`, `--fields` and predicates also take functions "
                + "of one value, which the SDKs do not have:"),
        .definitions([
            ("`year(P)`", "a number: 2024"),
            (
                "`quarter(P)` `month(P)` `week(P)` `day(P)` `hour(P)`",
                "texts: `2024-Q2`, `2024-06`, `2024-W22` (ISO 8601: a week belongs to the year "
                    + "that its Thursday is in), `2024-06-01`, `2024-06-01T14`"
            ),
            ("`weekday(P)`", "a number: 1 for Monday to 7 for Sunday"),
            ("`floor(P, W)`", "the largest multiple of W that does not exceed P; W is above zero"),
        ]),
        .paragraph(
            "Functions of dates use UTC or the zone of `--zone`. In predicates, `now()` is the "
                + "time at which the program parsed the predicate. `now() - 7d` is the time seven "
                + "days before; the units are `s`, `m` (minutes), `h`, `d` (24 hours) and `w`."),
        .paragraph(
            "In a predicate, \(operators) are written after a collection, as in `scores.@median > "
                + "3`, or between a list of links and a property of the linked objects, as in "
                + "`parts.@sum.bytes > 1000`. The SDKs do not have `@stddev`, `@median` and "
                + "`count(distinct P)`."),
        .paragraph(
            "`median(P)` and `count(distinct P)` need memory for all distinct values. If these "
                + "exceed `--max-memory`, they go to a temporary file in `TMPDIR`. The last digits "
                + "of a sum, an average or a deviation of doubles can differ with the order in "
                + "which the values are added."),
    ]

    /// The operators of aggregate functions as an enumeration in a sentence.
    private static var operators: String {
        listed(
            AggregateFunction.all.filter { $0 != .count }.flatMap { function in
                function.operators.map { "`\($0)`" }
            })
    }

    private static func names(_ operands: AggregateFunction.Operands) -> String {
        listed(
            AggregateFunction.all.filter { $0.operands == operands && $0.argument == .property }
                .map { "`\($0.form)`" })
    }

    private static func listed(_ words: [String]) -> String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }
}
