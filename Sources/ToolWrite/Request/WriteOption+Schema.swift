import ToolKit

/// Options for creating the database and changing its schema.
extension WriteOption {
    static let schema: [any OptionDeclaration] =
        [create, newKey] + schemaChanges + [key, link, csvBooleans]

    /// Options that change the schema.
    static let schemaChanges: [any OptionDeclaration] = [
        schemaFile, schemaVersion, infer, rename, drop, index, unindex, optional, required,
    ]

    static let create = Option(
        "create", in: .schema, "make FILE, which must not exist",
        "Make the database. FILE must not exist; with `--force` it is replaced, in one step "
            + "at the end.")

    static let newKey = SharedOptions.newKey.saying(
        in: .schema,
        "encrypt what --create makes with this key",
        "With `--create`: encrypt the database with the key in FILE, which stays what opens it. "
            + "See KEY FILES in `realm-tools(7)`.")

    static let schemaFile = Option(
        "schema-file", nil, .required("SCHEMA", .file), in: .schema,
        "bring the schema in line with SCHEMA",
        "Add the classes, properties and indexes of a schema as `realm-query --schema` prints it, "
            + "in JSON or as text: `class Pet`, below it lines such as `*tag objectId`, `name string?`, "
            + "`owner Person?`, `toys list<string>`, `size int [index]`. What the file has and SCHEMA does not is left alone, the primary key "
            + "included. A property of another type is an error. The types are `int`, `bool`, "
            + "`string`, `data` (or `binary`), `mixed`, `date`, `float`, `double`, `decimal128`, "
            + "`objectId`, `uuid`, the name of a class for a link to it, and `list<TYPE>`, "
            + "`set<TYPE>`, `dictionary<TYPE>`.")

    static let schemaVersion = Option(
        "schema-version", nil, .required("N", .count(0...Int.max)), in: .schema,
        "set the schema version",
        "Set the schema version to N. A lower one than before needs `--force`.")

    static let infer = Option(
        "infer", nil, .optional("N", .count(1...Int.max), bare: .max), in: .schema,
        "derive missing classes and properties",
        "Derive the classes and properties that are missing from the whole input, or from its "
            + "first N records, print them on standard error, with `--json` as a schema file on "
            + "standard output, and use them. Texts that are all RFC 3339 times make dates, "
            + "objects embedded classes, values that do not agree mixed ones; what some record "
            + "lacks is optional. Numbers get the first of `int`, `double`, `decimal128` and `string` that "
            + "holds all of them exactly; a line on standard error names a number for which it is not "
            + "the usual one. In `csv` and `tsv` a date may have a blank for the `T`, and neither "
            + "zone nor time of day, which are then UTC and midnight. `_id` becomes the primary key of "
            + "a new class if every record has one, else `id`, `uuid`, `key` or `CLASS_id` if every "
            + "record has one and no two the same; `--key` says it. Standard input is kept in a file without a name meanwhile.",
        uses: Uses([WriteUse.records]))

    static let key = Option(
        "key", nil, .required("COL", .text), in: .schema,
        "with --infer: the primary key of new classes",
        "With `--infer`: make COL the primary key of a new class. Every record needs one.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let link = Option(
        "link", nil, each: .required("COL=CLASS", .pair), in: .schema,
        "with --infer: COL holds keys of CLASS",
        "With `--infer`: COL holds primary keys of objects of CLASS, to which it links. The database "
            + "has CLASS already, or the records are of it.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let csvBooleans = Option(
        "csv-booleans", in: .schema, "with --infer: 0, 1, yes, no are booleans",
        "With `--infer`: a column of `csv` or `tsv` that holds nothing but `0`, `1`, `yes`, `no`, "
            + "`true` and `false`, in small letters or others, is one of booleans.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let rename = Option(
        "rename", nil, each: .required("CLASS[.PROP]=NEW", .pair), in: .schema,
        "rename a class or property", "Give a class or property another name.")

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
        "let a property be null", "Let a property be null.")

    static let required = Option(
        "required", nil, each: .required("CLASS.PROP", .text), in: .schema,
        "let a property not be null",
        "Let a property not be null. Nulls become zero, false or empty, which needs "
            + "`--force` if there are any.")
}
