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
        "Compact only if at least SPEC can be freed: a share of the file, `30%`, or a size, "
            + "`100MiB`. Otherwise nothing is done and the exit status is 0.",
        excludes: [check, analyze, salvage])

    static let backup = Option(
        "backup", nil, .optional("SUFFIX", .suffix, bare: CompactRequest.backupSuffix),
        in: .compaction,
        "keep the old file under another name",
        "Keep the old file, under the name FILE followed by SUFFIX. The tool makes a hard link, or "
            + "a copy if the file system has no hard links.",
        defaultText: "`.bak` without SUFFIX", excludes: [output, check, analyze])

    static let verify = Option(
        "verify", in: .compaction, "compare the result with the original",
        "Read the result and compare it with the original, node by node, before it gets its name. "
            + "With `--enumerate` the digest of every class is compared. This is the default.")

    static let noVerify = Option(
        "no-verify", in: .compaction, "do not compare",
        "Do not compare the result with the original.", excludes: [verify])

    static let dropHistory = Option(
        "drop-history", in: .compaction, "omit the change log",
        "Leave the change log out of the result. Only programs that have the file open need it.")

    static let enumerate = Option(
        "enumerate", nil, .required("WHICH", .enumeration), in: .compaction,
        "store repeated strings once",
        "Store each distinct value of a string property once, and in each object only its number. "
            + "WHICH is `auto`, a percentage or a list of properties, `CLASS.PROP,CLASS.PROP`. "
            + "`auto` selects all properties that become smaller. A percentage selects only the "
            + "properties whose distinct values are less than that percentage of all values, and "
            + "only if they become smaller. Queries, SORT and DISTINCT are faster on such "
            + "properties. `--analyze` estimates the saving for each. Primary keys are not "
            + "changed.", default: .none)

    static let at = SharedOptions.at.saying(
        in: .compaction,
        "start from an older version, or previous",
        "Start from VERSION instead of the newest version: a number, or `previous` for the version "
            + "in the other slot of the header. The version is verified first. Needs `-o` or an "
            + "option that prints a report.",
        excludes: [backup])

    static let newKey = SharedOptions.newKey.saying(
        in: .compaction,
        "encrypt the result with this key",
        "Encrypt the result with the key in FILE, even if the original has another key or none. "
            + "Without this option and `--decrypt`, the result has the key of the original. If an "
            + "unencrypted file is replaced, its bytes remain on the disk until the space is "
            + "reused.")

    static let decrypt = Option(
        "decrypt", in: .compaction, "write the result without encryption",
        "Write the result without encryption. `-K` gives the key of the original.",
        excludes: [newKey])

    static let toFormat = Option(
        "to-format", nil, .required("N", .count(1...99)), in: .compaction,
        "write file format N: 20 to 24",
        "Convert to file format N, from 20 to 24, and compare the result with the original. The "
            + "original may have any of the formats 2 to 11 and 20 to 24. SDKs of 2024 write "
            + "format 24; older SDKs open 23, 22 or 20. See CONVERTING. Without `-o` this needs "
            + "`--force`, and the old file is kept as with `--backup`. If format N cannot hold "
            + "some of the data, the tool names it and writes nothing.",
        excludes: [check, analyze, salvage, dryRun])

    static let local = Option(
        "local", in: .compaction, "convert a synchronised file to a local one",
        "Write a file that programs open without synchronisation. Objects, keys and links are "
            + "kept; internal data of sync is left out and named. Needs `-o`.",
        excludes: [check, analyze, salvage, dryRun, backup])
}
