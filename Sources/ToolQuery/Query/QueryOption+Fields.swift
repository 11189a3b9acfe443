import ToolKit

/// Options for fields and the notation of values.
extension QueryOption {
    static let fieldsAndValues: [any OptionDeclaration] = [
        fields, exclude, expand, backlinks, explode, types, time, binary, guid, join, null,
    ]

    static let fields = Option(
        "fields", "F", .required("LIST", .fields), in: .fields,
        "print these fields only, in this order",
        "Print these fields only, in this order. LIST holds key paths separated by commas. A path "
            + "may follow links (`from.name`). `NAME=PATH` gives the field another name: `-F "
            + "id=_id,sender=from.name`. A field may be a function of a property: `-F "
            + "name,born=year(birthday)`. See KEY PATHS and AGGREGATES.",
        uses: QueryUse.single)

    static let exclude = Option(
        "exclude", nil, .required("LIST", .names), in: .fields,
        "leave out these properties",
        "Omit the properties in LIST, separated by commas.",
        excludes: [fields],
        uses: QueryUse.objectValues)

    static let expand = Option(
        "expand", "x", .required("PATHS", .names), in: .fields,
        "inline the objects linked along these paths",
        "Print the linked object in place of a link, for the links on the key paths in PATHS: `-x "
            + "thread,from.address`. All other links stay keys, so a cycle of links ends where the "
            + "path ends.",
        uses: QueryUse.objectsAlone)

    static let backlinks = Option(
        "backlinks", in: .fields, "include incoming links",
        "Add the incoming links of each object. For each property that can link to objects of this "
            + "class, the field `@links.CLASS.PROPERTY` lists the keys of the objects that link.",
        uses: QueryUse.objectsAlone)

    static let explode = Option(
        "explode", nil, .required("PATH", .property), in: .fields,
        "one record for each element of a collection",
        "Print one record for each element of the collection PATH, with the element in place of "
            + "the collection. The key of a dictionary entry is the field `PATH.@key`. For an "
            + "object with an empty collection, no record is printed.",
        uses: Uses([QueryUse.objects]))

    static let types = Option(
        "types", nil, .required("FORM", .choice), in: .values,
        "plain values, or with their types",
        "Form of values. With `plain`, a date is text and a number is a JSON number. With "
            + "`extended`, values are written so that their types can be restored. See VALUES in "
            + "`realm-tools(7)`.",
        default: ValueStyle.Types.plain,
        uses: QueryUse.values)

    static let time = Option(
        "time", nil, .required("FORM", .choice), in: .values,
        "form of dates: rfc3339, unix, unix-ns",
        "Form of dates: `rfc3339` (`2025-03-04T09:12:44Z`, always UTC), `unix` (seconds since "
            + "1970, with decimals as needed) or `unix-ns` (nanoseconds since 1970, a whole "
            + "number).",
        default: ValueStyle.Time.rfc3339,
        uses: QueryUse.values)

    static let binary = Option(
        "binary", nil, .required("FORM", .choice), in: .values,
        "form of binary values: base64, hex, omit",
        "Form of binary values: `base64`, `hex`, or `omit` to leave them out.",
        default: ValueStyle.Binary.base64,
        uses: QueryUse.values)

    static let guid = SharedOptions.guid.meant(for: QueryUse.uuids)

    static let join = Option(
        "join", nil, .required("TEXT", .text), in: .values,
        "separator of collection elements in csv and tsv",
        "Text between the elements of a collection in `csv` and `tsv`.",
        default: ";", defaultText: "`;`",
        uses: QueryUse.cells)

    static let null = Option(
        "null", nil, .required("TEXT", .text), in: .values,
        "text for null in csv, tsv and table",
        "Text for null in `csv`, `tsv` and `table`.",
        defaultText: "an empty field in `csv`, `\\N` in `tsv`, `null` in `table`",
        uses: QueryUse.all(but: .batch))
}
