/// Section of realm-tools(7) with facts about Realm files for forensic examiners.
extension ToolsPage {
    static let evidence: [ManualBlock] = [
        .paragraph(
            "A Realm file is a tree of nodes, each at a byte offset. A commit writes its changes "
                + "to free space; then one byte of the header selects the new root. Nothing is "
                + "erased: nodes that the root no longer reaches stay in the file until a later "
                + "commit needs the space. A deletion writes a new leaf, of up to 256 objects, "
                + "without the object. The old leaf still contains the deleted object and its "
                + "neighbours."),
        .paragraph(
            "The reference engine puts each node into the smallest free space that fits, so little "
                + "is left after a few similar commits. These tools write a commit as one run, "
                + "which leaves more. The previous version is always intact, unless a later commit "
                + "was in progress. Some operations write a new file with only the newest version: "
                + "`realm-compact(1)`, and in the SDKs compaction at opening, `writeCopy` and a "
                + "change of key. Take an image first, and do not open the file with an SDK, which "
                + "may convert or compact it."),
        .definitions([
            (
                "Read without a trace",
                "`realm-query --access immutable --sha256` opens the file for reading and creates "
                    + "no lock file. It does not change the access time if the system permits "
                    + "that. It prints the digest of the file before and after reading."
            ),
            (
                "Look for deleted objects",
                "Run `realm-query --remnants --stat FILE`, then `realm-query --remnants FILE "
                    + "CLASS`. A damaged file is searched if it can be opened. For other damaged "
                    + "files, `realm-compact --salvage` copies the readable objects into a new "
                    + "file."
            ),
            (
                "Check a finding by hand",
                "At `$offset` the file contains the bytes `41 41 41 41`, a byte of flags, and the "
                    + "number of elements in three bytes, most significant first. The lowest "
                    + "three bits of the flags encode the width of an element: 0, 1, 2, 4, 8, 16, "
                    + "32 or 64 bits. Element 0 of a cluster leaf is twice the number of objects "
                    + "plus one, or the offset of their keys. Every other element is the offset "
                    + "of a column, little-endian, or 0. In the node of an integer column, "
                    + "element `$row` is the value of the object. Short strings have cells of as "
                    + "many bytes as the width; the last byte of a cell is the number of unused "
                    + "other bytes. `realm-query --provenance=value` prints the column offsets of "
                    + "existing objects for comparison."
            ),
            (
                "Encrypted files",
                "Offsets refer to the decrypted bytes: 4096 bytes per page of the file, without "
                    + "the first of every 65 pages, which holds the counters."
            ),
        ]),
        .literal([
            "realm-query --remnants --sha256 -f ndjson -o found.ndjson evidence.realm",
            "od -A d -t x1 -j 4096 -N 64 evidence.realm",
        ]),
    ]
}
