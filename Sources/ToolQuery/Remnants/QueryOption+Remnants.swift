import ToolKit

/// Remains of earlier versions, and their places in the file.
extension QueryOption {
    static let remains: [any OptionDeclaration] = [remnants, provenance, sha256]

    static let remnants = Option(
        "remnants", in: .changes, "objects that were deleted or had other values",
        "Print objects that the newest version does not have, or has with other values: those of the "
            + "previous version, of versions that some program still keeps, and of space in the file "
            + "that no version uses. With CLASS and PREDICATE those of a class that match. Nothing is "
            + "printed that the file does not prove. See REMNANTS.",
        excludes: [
            diff, since, watch, batch, all, schema, digest, aggregate, sort, distinct,
            outputDirectory,
        ])

    static let provenance = Option(
        "provenance", nil, .optional("OF", .choice, bare: Provenance.object), in: .fields,
        "where in the file each object is",
        "Add where in the file each object was read: `$offset`, the byte offset of its cluster leaf, and "
            + "`$row`, its row there. With `--provenance=value` also `$offsets`, the byte offset of the "
            + "leaf of each property.",
        uses: QueryUse.placed)

    static let sha256 = Option(
        "sha256", in: .output, "print digests of the file before and after",
        "Print the SHA-256 digest of FILE on standard error before it is read and after, to show that "
            + "reading it changed nothing.",
        excludes: [watch])
}
