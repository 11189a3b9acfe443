import ToolKit

/// Options for remnants (states of objects that the newest version does not have), and for the
/// locations of objects in the file.
extension QueryOption {
    static let remains: [any OptionDeclaration] = [remnants, provenance, sha256]

    static let remnants = Option(
        "remnants", in: .changes, "deleted objects and earlier values of objects",
        "Print objects that the newest version does not have, or has with other values. They come "
            + "from the previous version, from versions that a program holds, and from unused "
            + "space in the file. With CLASS and PREDICATE, print only matching objects of that "
            + "class. Nothing is guessed: every printed value is in the file. See REMNANTS.",
        excludes: [
            diff, since, watch, batch, all, schema, digest, aggregate, sort, distinct,
            outputDirectory,
        ])

    static let provenance = Option(
        "provenance", nil, .optional("OF", .choice, bare: Provenance.object), in: .fields,
        "offset of each object in the file",
        "Add the location of each object: `$offset`, the byte offset of its cluster leaf, and "
            + "`$row`, its row in the leaf. `--provenance=value` also adds `$offsets`, the byte "
            + "offset of the leaf of each property.",
        uses: QueryUse.placed)

    static let sha256 = Option(
        "sha256", in: .output, "print digests of the file before and after",
        "Print the SHA-256 digest of FILE on standard error before and after reading, to show "
            + "that reading did not change it.",
        excludes: [watch])
}
