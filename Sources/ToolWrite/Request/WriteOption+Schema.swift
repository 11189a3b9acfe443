import RealmEngine
import ToolKit

/// Options for creating the database and changing its schema.
extension WriteOption {
    static let schema: [any OptionDeclaration] =
        [create, newKey] + schemaChanges + [key, link, csvBooleans]

    /// Options that change the schema.
    static let schemaChanges: [any OptionDeclaration] = [
        schemaFile, schemaVersion, infer, rename, drop, index, unindex, optional, required, type,
        misfits, primaryKey, noPrimaryKey, embed, unembed,
    ]

    static let create = Option(
        "create", in: .schema, "create FILE, which must not exist",
        "Create the database. FILE must not exist. With `--force`, an existing FILE is replaced, "
            + "in one step at the end of the run.")

    static let newKey = SharedOptions.newKey.saying(
        in: .schema,
        "encrypt the new database with this key",
        "With `--create`: encrypt the database with the key in FILE. The same key opens it later. "
            + "See KEY FILES in `realm-tools(7)`.")

    static let schemaFile = Option(
        "schema-file", nil, .required("SCHEMA", .file), in: .schema,
        "add the classes and properties of SCHEMA",
        "Add the classes, properties and indexes of a schema, as printed by `realm-query "
            + "--schema`, in JSON or as text. In text, `class Pet` is followed by lines such as "
            + "`*tag objectId`, `name string?`, `owner Person?`, `toys list<string>`, `size int "
            + "[index]`. Classes, properties and indexes that only the database has are not "
            + "changed, and neither is the primary key of an existing class. If a property has "
            + "another type in the database, that is an error. The types are `int`, `bool`, "
            + "`string`, `data` (or `binary`), `mixed`, `date`, `float`, `double`, `decimal128`, "
            + "`objectId`, `uuid`, the name of a class for a link to it, and `list<TYPE>`, "
            + "`set<TYPE>`, `dictionary<TYPE>`.")

    static let schemaVersion = Option(
        "schema-version", nil, .required("N", .count(0...Int.max)), in: .schema,
        "set the schema version",
        "Set the schema version to N. A lower version than before needs `--force`.")

    static let infer = Option(
        "infer", nil, .optional("N", .count(1...Int.max), bare: .max), in: .schema,
        "derive missing classes and properties",
        "Derive classes and properties that are missing in the database from the whole input, or "
            + "from its first N records, and add them. The added classes and properties are "
            + "printed on standard error, or, with `--json`, as a schema file on standard output. "
            + "Strings become dates if all are RFC 3339 times. Objects become embedded classes. "
            + "Values of different types become mixed values. A property that some record lacks is "
            + "optional. Numbers get the first of `int`, `double`, `decimal128` and `string` that "
            + "represents all of them exactly. If that is not the usual type, a line on standard "
            + "error names a number that caused it. In `csv` and `tsv` a date may have a blank "
            + "instead of the `T`, no zone (UTC), and no time of day (midnight). The primary key "
            + "of a new class is `_id` if every record has one; else `id`, `uuid`, `key` or "
            + "`CLASS_id` if every record has one and no two are equal. `--key` overrides this "
            + "choice. Standard input is first stored in an unnamed temporary file in `TMPDIR`.",
        uses: Uses([WriteUse.records]))

    static let key = Option(
        "key", nil, .required("COL", .text), in: .schema,
        "with --infer: the primary key of new classes",
        "With `--infer`: make the input field COL the primary key of a new class. Every record "
            + "must have this field.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let link = Option(
        "link", nil, each: .required("COL=CLASS", .pair), in: .schema,
        "with --infer: COL holds keys of CLASS",
        "With `--infer`: treat the values of the input field COL as primary keys of objects of "
            + "CLASS, and make COL a link to CLASS. CLASS must exist in the database or be the "
            + "class of the records.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let csvBooleans = Option(
        "csv-booleans", in: .schema, "with --infer: 0, 1, yes, no are booleans",
        "With `--infer`: make a column of `csv` or `tsv` a boolean property if it contains only "
            + "the values `0`, `1`, `yes`, `no`, `true` and `false`, in upper or lower case.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let rename = Option(
        "rename", nil, each: .required("CLASS[.PROP]=NEW", .pair), in: .schema,
        "rename a class or property", "Rename a class or property.")

    static let drop = Option(
        "drop", nil, each: .required("CLASS[.PROP]", .text), in: .schema,
        "remove a class or property",
        "Remove a class with its objects, or a property with its values. If that loses data, "
            + "it needs `--force`.")

    static let index = Option(
        "index", nil, each: .required("CLASS.PROP", .text), in: .schema, "add an index",
        "Add a search index to a property.")

    static let unindex = Option(
        "unindex", nil, each: .required("CLASS.PROP", .text), in: .schema, "remove an index",
        "Remove the search index of a property.")

    static let optional = Option(
        "optional", nil, each: .required("CLASS.PROP", .text), in: .schema,
        "allow null in a property", "Allow null in a property.")

    static let required = Option(
        "required", nil, each: .required("CLASS.PROP", .text), in: .schema,
        "forbid null in a property",
        "Forbid null in a property. Existing nulls become zero, false or empty, which needs "
            + "`--force`.")

    static let type = Option(
        "type", nil, each: .required("CLASS.PROP=TYPE", .pair), in: .schema,
        "give a property another type",
        "Give a property another type, such as `double`, `string?` or `list<Person>`, and convert "
            + "its values. CHANGING TYPES lists the conversions: between numbers, booleans and "
            + "dates, between values and text, between a single value and a list or set of one. "
            + "The property moves to the end of its class. If values cannot be converted, nothing "
            + "is changed, unless `--on-misfit` allows it; the message names the first ten with "
            + "their objects.")

    static let misfits = Option(
        "on-misfit", nil, .required("RULE", .choice), in: .schema,
        "values that do not fit: refuse, null, default, skip",
        "With `--type`: treatment of values that cannot be converted. With `refuse`, nothing is "
            + "changed. With `default`, zero, false or an empty value is stored. With `null`, null "
            + "is stored; where the property or element may not be null, the result is the same as "
            + "with `default`. With `skip`, such an element of a list or set is left out. The last "
            + "three lose data, which needs `--force`.",
        default: MisfitRule.refuse, needs: [type])

    static let primaryKey = Option(
        "primary-key", nil, each: .required("CLASS.PROP", .text), in: .schema,
        "make a property the primary key",
        "Make a property the primary key of its class. If the class has another primary key, it is "
            + "replaced. Links to the objects are kept. If several objects have the same value, "
            + "nothing is changed, and the message names the value.")

    static let noPrimaryKey = Option(
        "no-primary-key", nil, each: .required("CLASS", .text), in: .schema,
        "remove the primary key",
        "Remove the primary key of a class. The property remains as an ordinary one.")

    static let embed = Option(
        "embed", nil, each: .required("CLASS", .text), in: .schema,
        "make the objects of a class embedded",
        "Make CLASS an embedded class. Exactly one object must link to each of its objects, no "
            + "object may contain itself, no set may link to CLASS, and CLASS must have no primary "
            + "key.")

    static let unembed = Option(
        "unembed", nil, each: .required("CLASS", .text), in: .schema,
        "make the objects of an embedded class ordinary ones",
        "Make the embedded class CLASS an ordinary one. The properties that contained its objects "
            + "then link to them.")
}
