import ToolKit

/// Conversions of `--type`.
extension WriteTable {
    static let typeChanges: [ManualBlock] = [
        .paragraph(
            "`--type`, `--primary-key`, `--no-primary-key`, `--embed` and `--unembed` are part of the plan "
                + "that `-n` prints, and of one transaction: after a failure nothing has changed. The "
                + "SDKs open the result with a model that matches it and the same schema version, or a "
                + "higher one. These values become values of another type:"),
        .definitions([
            (
                "numbers",
                "each other: a fraction does not fit `int`, a number beyond the range none. A number "
                    + "that the type does not hold exactly is rounded, which needs `--force`"
            ),
            ("`int`", "`bool` (0 and 1), `date` (seconds since 1970), and back"),
            (
                "`string`",
                "the value that it spells: `42`, `1.5`, `true`, `2024-06-01T10:00:00Z`, the digits of an "
                    + "`objectId` or `uuid`; its bytes as `data`"
            ),
            ("every type but links", "`string`, as plain output prints it; `data` if it is UTF-8"),
            ("every type", "`mixed`, and back where a value has the type"),
            (
                "single values, links included",
                "`list<TYPE>` and `set<TYPE>` of one element, of none for null; and back where there "
                    + "is at most one element"
            ),
            ("`list`", "`set`, which keeps the first of equal values, and back"),
        ]),
        .paragraph(
            "Dictionaries, and properties that hold embedded objects, keep their type. An index is kept "
                + "if the new type has one. Null fits a type such as `int?`."),
        .paragraph("A price that was stored as text becomes a number, and what is no number null:"),
        .literal([
            "$ realm-write -n --type 'Item.price=double?' shop.realm",
            "realm-write: 2 of the values of Item.price cannot become double?: 17 has 'n/a', 204 has ''",
            "$ realm-write --force --on-misfit null --type 'Item.price=double?' shop.realm",
        ]),
    ]
}
