import ToolKit

/// Options for compacting a database.
extension CompactOption {
    static let compaction: [any OptionDeclaration] = [
        ifFree, backup, verify, noVerify, dropHistory, enumerate, at, newKey, decrypt, toFormat,
        local,
    ]

    static let ifFree = Option(
        "if-free", nil, .required("SPEC", .threshold), in: .compaction,
        "only if this much can be reclaimed",
        "Compact only if at least SPEC can be reclaimed: a share of the file, `30%`, or a "
            + "size, `100MiB`. Otherwise nothing is done and the exit status is 0.",
        excludes: [check, analyze, salvage])

    static let backup = Option(
        "backup", nil, .optional("SUFFIX", .suffix, bare: CompactRequest.backupSuffix),
        in: .compaction,
        "keep the old file under another name",
        "Keep the old file as FILE with SUFFIX behind it. A hard link does that where there "
            + "are any, otherwise a copy.",
        defaultText: "`.bak` for a missing SUFFIX", excludes: [output, check, analyze])

    static let verify = Option(
        "verify", in: .compaction, "compare the result with the original",
        "Read the result and compare it with the original, node by node, before it gets its "
            + "name; with `--enumerate` compare the digest of every class. This is the default.")

    static let noVerify = Option(
        "no-verify", in: .compaction, "do not compare",
        "Do not compare the result with the original.", excludes: [verify])

    static let dropHistory = Option(
        "drop-history", in: .compaction, "leave the change log out",
        "Leave the change log out. It matters only to programs that have the file open.")

    static let enumerate = Option(
        "enumerate", nil, .required("WHICH", .enumeration), in: .compaction,
        "store repeated strings once",
        "Store each distinct value of a string property once, and in its objects the number of "
            + "one. WHICH is a percentage: properties whose distinct values are less than that "
            + "of all, where it makes them smaller; `auto`: all that become smaller; or the "
            + "properties themselves, `CLASS.PROP,CLASS.PROP`. Queries, SORT and DISTINCT are "
            + "faster on such properties; `--analyze` says what each would save. Primary keys "
            + "are left alone.", default: .none)

    static let at = SharedOptions.at.saying(
        in: .compaction,
        "start from an older version, or previous",
        "Start from another version than the newest: its number, or `previous` for the one "
            + "the header names beside the newest. It is verified first. Needs `-o`, or a "
            + "report.",
        excludes: [backup])

    static let newKey = SharedOptions.newKey.saying(
        in: .compaction,
        "encrypt the result with this key",
        "Encrypt the result with the key in FILE, also where the original has another key or "
            + "none. Without this and `--decrypt` the result has the key of the original. In place "
            + "of a plain file the old bytes stay on the disk until it uses them again.")

    static let decrypt = Option(
        "decrypt", in: .compaction, "write the result without encryption",
        "Write the result without encryption; the original is read with `-K`.",
        excludes: [newKey])

    static let toFormat = Option(
        "to-format", nil, .required("N", .count(1...99)), in: .compaction,
        "write file format N: 20 to 24",
        "Write file format N, whichever of the formats 2 to 24 the file has, and compare the result "
            + "with the original: 24 is what SDKs of 2024 write, 23, 22 and 20 what older ones open. "
            + "Without `-o` this needs `--force`, and the old file is kept as with `--backup`. "
            + "What format N has no room for is named, and nothing is written.",
        excludes: [check, analyze, salvage, dryRun])

    static let local = Option(
        "local", in: .compaction, "make a local file of a synchronised one",
        "Write a file that programs open without synchronisation: objects, keys and links stay, "
            + "what sync keeps for itself is left out and named. Needs `-o`.",
        excludes: [check, analyze, salvage, dryRun, backup])
}
