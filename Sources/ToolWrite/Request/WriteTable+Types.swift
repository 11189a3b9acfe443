import ToolKit

/// Conversions of `--type`.
extension WriteTable {
    static let typeChanges: [ManualBlock] = [
        .paragraph(
            "`--type`, `--primary-key`, `--no-primary-key`, `--embed` and `--unembed` are made in "
                + "one transaction, so that after a failure nothing has changed, and `-n` prints "
                + "them without making them. An SDK can open the result if the classes of the "
                + "program match it and the program's schema version is the same or higher. Values "
                + "of these types can be converted:"),
        .definitions([
            (
                "numbers",
                "to any other type of number. A fraction cannot become `int`, and no number can "
                    + "exceed the range of its new type. A number that the new type cannot "
                    + "represent exactly is rounded, which needs `--force`"
            ),
            ("`int`", "to `bool` (0 and 1) and `date` (seconds since 1970), and back"),
            (
                "`string`",
                "to the value that it spells: `42`, `1.5`, `true`, `2024-06-01T10:00:00Z`, the "
                    + "digits of an `objectId` or `uuid`. To `data`, as its bytes"
            ),
            (
                "every type but links",
                "to `string`, as `realm-query` prints them in plain form; `data` only if it is "
                    + "UTF-8"
            ),
            ("every type", "to `mixed`, and back if the mixed value has that type"),
            (
                "single values, links included",
                "to `list<TYPE>` and `set<TYPE>` with one element, or with none for null; and from "
                    + "these to a single value if there is at most one element"
            ),
            (
                "`list`",
                "to `set`, of which only the first of equal values is kept, and from set to list"
            ),
        ]),
        .paragraph(
            "Dictionaries, and properties that hold embedded objects, keep their type. An index is "
                + "kept if the new type can have one. Null remains null in a type that allows it, "
                + "such as `int?`."),
        .paragraph(
            "These commands turn a price stored as text into a number, and text that is not a "
                + "number into null:"),
        .literal([
            "$ realm-write -n --type 'Item.price=double?' shop.realm",
            "realm-write: 2 of the values of Item.price cannot become double?: 17 has 'n/a', 204 has ''",
            "$ realm-write --force --on-misfit null --type 'Item.price=double?' shop.realm",
        ]),
    ]
}
