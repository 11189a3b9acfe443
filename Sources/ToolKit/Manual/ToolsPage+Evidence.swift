/// Section of realm-tools(7) with facts about Realm files for forensic examiners.
extension ToolsPage {
    static let evidence: [ManualBlock] = [
        .paragraph(
            "A Realm file is a tree of nodes, each at a byte offset. A commit writes what it changes to space "
                + "that is free, and then one byte of the header selects its root. Nothing is erased: what the "
                + "root does not lead to any more stays where it is until a later commit needs the space. A "
                + "deletion writes the leaf of up to 256 objects anew without the object, so that the old leaf "
                + "holds the deleted object and its neighbours as they were."),
        .paragraph(
            "The reference engine puts each node into the smallest free space that fits, so that little is left "
                + "after a few commits of the same kind; these tools write a commit as one run, of which "
                + "more is left. The version before the newest is always whole, unless a later commit was "
                + "under way. `realm-compact(1)`, the SDKs' compaction at opening, `writeCopy` and a change of "
                + "key write a new file that has nothing but the newest version: take an image first, and do "
                + "not open the file with an SDK, which may convert or compact it."),
        .definitions([
            (
                "Read without a trace",
                "`realm-query --access immutable --sha256` opens the file for reading without touching its "
                    + "access time where the system permits that, makes no lock file, and prints the digest "
                    + "before and after."
            ),
            (
                "Look for what was deleted",
                "`realm-query --remnants --stat FILE`, then `realm-query --remnants FILE CLASS`. A file that "
                    + "is damaged is searched as far as it can be opened; `realm-compact --salvage` makes a new "
                    + "file of what can be read of any other."
            ),
            (
                "Check a finding by hand",
                "At `$offset` of the file are `41 41 41 41`, then a byte of flags, whose lowest three bits "
                    + "are a code for the width of an element (0, 1, 2, 4, 8, 16, 32 or 64 bits), then the number "
                    + "of elements in three bytes, the most significant first. Element 0 of a cluster leaf is "
                    + "twice the number of objects plus one, or the offset of their keys; each other element is "
                    + "the offset of a column, little-endian, or 0. Values of an integer column are elements "
                    + "of the node there: number `$row` is the object's. Short strings have cells of as many "
                    + "bytes as the width, whose last byte says how many of the others are unused. "
                    + "`realm-query --provenance=value` prints the offsets of the columns of objects that are "
                    + "still there, for comparison."
            ),
            (
                "Encrypted files",
                "Offsets are those of the decrypted bytes: 4096 bytes of each page of the file, without the "
                    + "first page of each 65, which holds the counters."
            ),
        ]),
        .literal([
            "realm-query --remnants --sha256 -f ndjson -o found.ndjson evidence.realm",
            "od -A d -t x1 -j 4096 -N 64 evidence.realm",
        ]),
    ]
}
