import ToolKit

/// Options for compacting a database.
extension CompactOption {
    static let compaction: [any OptionDeclaration] = [
        ifFree, backup, verify, noVerify, dropHistory, enumerate, at, newKey, decrypt, toFormat,
        local,
    ]

    static let ifFree = Option(
        "if-free", nil, .required("SPEC", .threshold), in: .compaction,
        "only if this much can be freed",
        "Compact only if at least SPEC can be freed. SPEC is a percentage of the file size, such "
            + "as `30%`, or a size, such as `100MiB`. Otherwise nothing is done and the exit "
            + "status is 0.",
        excludes: [check, analyze, salvage])

    static let backup = Option(
        "backup", nil, .optional("SUFFIX", .suffix, bare: CompactRequest.backupSuffix),
        in: .compaction,
        "keep the old file under another name",
        "Keep the old file under the name of FILE with SUFFIX appended. The old file gets this "
            + "name as a hard link; if the file system has no hard links, it is copied.",
        defaultText: "`.bak` without SUFFIX", excludes: [output, check, analyze])

    static let verify = Option(
        "verify", in: .compaction, "compare the result with the original",
        "Read the result and compare it with the original, node by node, before it gets its name. "
            + "With `--enumerate`, whose nodes differ from the original, the digest of every class "
            + "is compared instead. This is the default.")

    static let noVerify = Option(
        "no-verify", in: .compaction, "do not compare",
        "Do not compare the result with the original.", excludes: [verify])

    static let dropHistory = Option(
        "drop-history", in: .compaction, "omit the change log",
        "Leave the change log out of the result. Only programs that have the file open need it.")

    static let enumerate = Option(
        "enumerate", nil, .required("WHICH", .enumeration), in: .compaction,
        "store repeated strings once",
        "Store the distinct values of a string property in a list, and in each object only the "
            + "position in the list. WHICH selects the properties. With `auto`, these are all "
            + "properties that become smaller. With a percentage such as `10`, these are the "
            + "properties that become smaller and have fewer distinct values than that percentage "
            + "of their values. A list such as `CLASS.PROP,CLASS.PROP` names them. Queries, SORT "
            + "and DISTINCT are faster on such properties. `--analyze` estimates how much smaller "
            + "each property would become. Primary keys are not changed.", default: .none)

    static let at = SharedOptions.at.saying(
        in: .compaction,
        "start from an older version, or previous",
        "Use VERSION of the database instead of the newest version. VERSION is `previous`, the "
            + "last version before the newest, or the number of a version that a program still has "
            + "open. The version is verified before it is used. Needs `-o` or an option that "
            + "prints a report.",
        excludes: [backup])

    static let newKey = SharedOptions.newKey.saying(
        in: .compaction,
        "encrypt the result with this key",
        "Encrypt the result with the key in FILE; the original may have another key or none. "
            + "Without this option or `--decrypt`, the result has the same key as the original. If "
            + "an unencrypted file is replaced, its bytes remain on the disk until the space is "
            + "reused.")

    static let decrypt = Option(
        "decrypt", in: .compaction, "write the result without encryption",
        "Write the result without encryption. The key of the original is given by `-K`.",
        excludes: [newKey])

    static let toFormat = Option(
        "to-format", nil, .required("N", .count(1...99)), in: .compaction,
        "write file format N: 20 to 24",
        "Convert to file format N, from 20 to 24, and compare the result with the original. The "
            + "original may have any of the formats 2 to 11 and 20 to 24. SDKs of 2024 write "
            + "format 24; older SDKs open 23, 22 or 20. See CONVERTING. Without `-o`, the new file "
            + "replaces the old one, which needs `--force`; the old file is kept as with "
            + "`--backup`. If some data cannot be stored in format N, the tool names the "
            + "properties and writes nothing.",
        excludes: [check, analyze, salvage, dryRun])

    static let local = Option(
        "local", in: .compaction, "convert a synchronised file to a local one",
        "Convert a synchronised file to one that programs open without synchronisation. Objects, "
            + "keys and links are kept. Data that only synchronisation uses is left out, and a "
            + "notice names it. Needs `-o`.",
        excludes: [check, analyze, salvage, dryRun, backup])
}
