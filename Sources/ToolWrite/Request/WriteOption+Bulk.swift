import ToolKit

/// Options for changing the objects that match a predicate.
extension WriteOption {
    static let bulk: [any OptionDeclaration] = [
        predicate, set, delete, arg, argjson, caseRule, zone, expectCount,
    ]

    static let predicate = Option(
        "where", nil, .required("PREDICATE", .text), in: .bulk,
        "change the objects that match",
        "Change or delete the objects of CLASS that match PREDICATE, in the query language of "
            + "`realm-query(1)`.")

    static let set = Option(
        "set", nil, each: .required("P=JSON", .pair), in: .bulk,
        "with --where: set property P",
        "With `--where`: set property P of every matching object to this JSON "
            + "value.", needs: [predicate])

    static let delete = Option(
        "delete", in: .bulk, "with --where: delete the matches",
        "With `--where`: delete every matching object.", excludes: [set], needs: [predicate])

    static let arg = SharedOptions.arg.saying(
        in: .bulk, "bind the next of $0, $1 to TEXT",
        "Set the value of `$0` in the predicate to TEXT. The next `--arg` or `--argjson` sets "
            + "`$1`, and so on. TEXT is converted to the type of the property it is compared with. "
            + "If the predicate has `$K0` in place of `$0`, TEXT is a key path, and likewise for "
            + "`$K1` and so on.",
        needs: [predicate])

    static let argjson = SharedOptions.argjson.saying(
        in: .bulk, "bind the next of $0, $1 to JSON",
        "Like `--arg`, but the value is JSON, such as `17`, `true` or `null`.", needs: [predicate])

    static let caseRule = SharedOptions.caseRule.saying(
        in: .bulk, "letters that [c] folds: unicode, reference",
        "With `--where`: select the letters whose case `[c]` ignores in PREDICATE: `unicode` or "
            + "`reference`, as in `realm-query(1)`.",
        needs: [predicate])

    static let zone = SharedOptions.zone.saying(
        in: .bulk, "time zone of day(), hour() and similar",
        "With `--where`: time zone of `day()` and similar functions in PREDICATE, as in "
            + "`realm-query(1)`.",
        needs: [predicate])

    static let expectCount = Option(
        "expect-count", nil, .required("N", .count(0...Int.max)), in: .bulk,
        "write only if N objects match",
        "Write only if exactly N objects match. Otherwise change nothing and exit with status 1.",
        needs: [predicate])
}
