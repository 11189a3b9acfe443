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
        "Create the database. FILE must not exist; with `--force` it is replaced, in one step at "
            + "the end.")

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
            + "[index]`. Anything that only the file has is not changed, including the primary "
            + "key. A property of another type is an error. The types are `int`, `bool`, "
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
        "Derive missing classes and properties from the whole input, or from its first N records, "
            + "and add them. They are printed on standard error; with `--json`, as a schema file "
            + "on standard output. Strings become dates if all are RFC 3339 times. Objects become "
            + "embedded classes. Values of different types become mixed values. A property that "
            + "some record lacks is optional. Numbers get the first of `int`, `double`, "
            + "`decimal128` and `string` that holds all of them exactly. If that is not the usual "
            + "type, a line on standard error names a number that causes it. In `csv` and `tsv` a "
            + "date may have a blank instead of the `T`, no zone (UTC), and no time of day "
            + "(midnight). The primary key of a new class is `_id` if every record has one; else "
            + "`id`, `uuid`, `key` or `CLASS_id` if every record has one and no two are equal. "
            + "`--key` overrides this choice. Standard input is stored in an unnamed temporary "
            + "file meanwhile.",
        uses: Uses([WriteUse.records]))

    static let key = Option(
        "key", nil, .required("COL", .text), in: .schema,
        "with --infer: the primary key of new classes",
        "With `--infer`: make COL the primary key of a new class. Every record needs one.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let link = Option(
        "link", nil, each: .required("COL=CLASS", .pair), in: .schema,
        "with --infer: COL holds keys of CLASS",
        "With `--infer`: COL holds primary keys of objects of CLASS and becomes a link to it. "
            + "CLASS must exist in the database or be the class of the records.",
        needs: [infer], uses: Uses([WriteUse.records]))

    static let csvBooleans = Option(
        "csv-booleans", in: .schema, "with --infer: 0, 1, yes, no are booleans",
        "With `--infer`: a column of `csv` or `tsv` is boolean if it holds only `0`, `1`, `yes`, "
            + "`no`, `true` and `false`, in upper or lower case.",
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
        "let a property not be null",
        "Let a property not be null. Nulls become zero, false or empty, which needs "
            + "`--force` if there are any.")

    static let type = Option(
        "type", nil, each: .required("CLASS.PROP=TYPE", .pair), in: .schema,
        "give a property another type",
        "Give a property another type, such as `double`, `string?` or `list<Person>`, converting its "
            + "values. Numbers become the same number, true and false 1 and 0, dates seconds since 1970; "
            + "texts become the value that they spell, and values their text; a single value becomes a "
            + "list or set of one, and such a list a single value. The property moves to the end of its "
            + "class. Values that do not fit are refused, the first ten with their objects. See "
            + "CHANGING TYPES.")

    static let misfits = Option(
        "on-misfit", nil, .required("RULE", .choice), in: .schema,
        "values that do not fit: refuse, null, default, skip",
        "With `--type`: what is stored for values that the new type does not have. `null` stores null, "
            + "`default` zero, false or an empty value; `skip` leaves elements of lists and sets "
            + "out. All three lose data, which needs `--force`.",
        default: MisfitRule.refuse, needs: [type])

    static let primaryKey = Option(
        "primary-key", nil, each: .required("CLASS.PROP", .text), in: .schema,
        "make a property the primary key",
        "Make a property the primary key of its class, instead of another if there is one. Objects keep "
            + "their links. A value that several objects have is an error that names it.")

    static let noPrimaryKey = Option(
        "no-primary-key", nil, each: .required("CLASS", .text), in: .schema,
        "remove the primary key",
        "Let a class have no primary key. The property stays.")

    static let embed = Option(
        "embed", nil, each: .required("CLASS", .text), in: .schema,
        "make the objects of a class embedded",
        "Make the objects of a class embedded ones. Each must have exactly one object that links to it, "
            + "and the class no primary key.")

    static let unembed = Option(
        "unembed", nil, each: .required("CLASS", .text), in: .schema,
        "make the objects of a class their own",
        "Make embedded objects independent ones, to which the same properties link.")
}
