import RealmEngine
import ToolKit

extension QueryTable {
    /// Manual section about aggregate functions, generated from their table.
    static let aggregates: [ManualBlock] = [
        .paragraph(
            "LIST of `--aggregate` names these, where P is a property that has single values:"),
        .definitions(AggregateFunction.all.map { ("`\($0.form)`", $0.summary) }),
        .paragraph(
            "Nulls do not count, and neither does NaN, except in `count(distinct P)`, and among values "
                + "in `mixed`, where `sum(P)`, `avg(P)`, `min(P)` and `max(P)` leave out only the NaN "
                + "of a `decimal128`. Of such values only numbers are added up, and their sum is a "
                + "`decimal128`. \(names(.numbers)) are for numbers, "
                + "\(names(.ordered)) for dates too, `count(distinct P)` for all types."),
        .paragraph(
            "`--group-by`, `--sort`, `--distinct` and predicates also take functions of one value, which "
                + "the SDKs do not have:"),
        .definitions([
            ("`year(P)`", "a number: 2024"),
            (
                "`quarter(P)` `month(P)` `week(P)` `day(P)` `hour(P)`",
                "texts: `2024-Q2`, `2024-06`, `2024-W22` (ISO 8601, the week of its Thursday), "
                    + "`2024-06-01`, `2024-06-01T14`"
            ),
            ("`weekday(P)`", "a number: 1 for Monday to 7 for Sunday"),
            ("`floor(P, W)`", "the greatest multiple of W, above zero, that is not above P"),
        ]),
        .paragraph(
            "Functions of dates are in UTC or in `--zone`. In predicates `now()` is the moment at which "
                + "the program read the predicate, and `now() - 7d` another one, in `s`, `m` (minutes), "
                + "`h`, `d` (of 24 hours) or `w`."),
        .paragraph(
            "In a predicate \(operators) stand after a collection, `scores.@median > 3`, or between "
                + "a link and a property of its targets, `parts.@sum.bytes > 1000`. `@stddev` and "
                + "`@median` are of this program, as `count(distinct P)` is: the SDKs do not have "
                + "them."),
        .paragraph(
            "The values of `median(P)` and `count(distinct P)` are kept until the end, each different "
                + "one once with its number. What does not fit into `--max-memory` goes to a temporary "
                + "file in `TMPDIR`. The last digits of a sum, an average or a deviation of doubles "
                + "depend on the order in which they are added."),
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
