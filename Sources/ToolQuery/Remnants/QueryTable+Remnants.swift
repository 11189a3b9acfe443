import ToolKit

extension QueryTable {
    /// Manual section about remnants: states of objects that are still in the file, and that the
    /// newest version does not have.
    static let remnants: [ManualBlock] = [
        .paragraph(
            "A commit never overwrites the previous version, and unused space keeps its bytes "
                + "until a commit uses it. `--remnants` finds objects there. It reads the "
                + "previous version, which the header still refers to, then versions that a "
                + "program holds, then the rest of the file. In the rest it searches for cluster "
                + "leaves (nodes with up to 256 objects) and the leaves of their columns. A "
                + "record has the properties of the object and these members:"),
        .definitions([
            (
                "`$class`, `$key`",
                "The class, and the object key. Null if the nodes that contain it are lost."
            ),
            (
                "`$state`",
                "`deleted`: the newest version has no such object. `changed`: the newest version "
                    + "has other values in the properties `$changed`. `orphan`: the newest "
                    + "version has no such class."
            ),
            (
                "`$certainty`",
                "`whole`: every column of the leaf exists, none was overwritten, and no other "
                    + "leaf refers to it. `partial`: the values of `$missing` are lost, and "
                    + "printed as null, or the leaf has a removed property that no schema in the "
                    + "file describes. `doubtful`: a column may belong to another leaf or "
                    + "another time. Two leaves refer to it, or its values do not resemble the "
                    + "values of existing objects. Do not report a doubtful value without "
                    + "separate proof."
            ),
            (
                "`$source`",
                "`previous`, `version N`, `free` for space on the free list, or `unlisted` for "
                    + "space that is neither used nor on the free list."
            ),
            (
                "`$offset`, `$row`",
                "Byte offset of the cluster leaf, and row of the object in it, from 0. In an "
                    + "encrypted file, the offset refers to the decrypted bytes. The offset is "
                    + "null in files of formats 2 to 9, which store each property in a tree of "
                    + "its own."
            ),
            ("`$copies`", "Number of equal states found, if more than one."),
            (
                "`$versions`",
                "First and last version that may have had this state. For `previous` and `version "
                    + "N`, both are that version. In other space, the first is the earliest "
                    + "version whose file may have been large enough, and the last is the newest "
                    + "version that can no longer be read. An unfinished commit also leaves "
                    + "states, which belong to no version."
            ),
        ]),
        .paragraph(
            "Records are ordered by class and key, with the newest state of an object first if "
                + "known. With CLASS, a PREDICATE selects objects; a lost value matches nothing. "
                + "It cannot contain SORT, DISTINCT and LIMIT. `--stat` counts per class, "
                + "`--count` prints the number, and `-e` exits with status 1 if nothing is found. "
                + "Embedded objects are separate records. Links in free space are resolved in the "
                + "newest version. If the target does not exist there, the link is "
                + "`{\"$link\":{\"table\":\"Person\",\"_key\":17}}`. Removed properties follow the "
                + "existing ones."),
        .paragraph(
            "If a commit changed a property in most objects of a leaf, older states of that leaf "
                + "are doubtful. Nothing can be found in overwritten space, and in files that were "
                + "written in one pass, such as copies and compacted files. In files of formats 2 "
                + "to 9, only the previous version is read: each property is stored in a tree of "
                + "its own there, and nothing in unused space proves which values belong to one "
                + "object. An encrypted file has two counters for each block, of its last two "
                + "writes. A block is decrypted with the counter that fits and skipped if none "
                + "does."),
        .paragraph(
            "Objects are sorted in temporary files, and `--threads` compares them in several "
                + "threads. Unused space may have more leaves than `--max-memory` has room for, "
                + "one per 256 bytes. The rest is then left out, and a notice on standard error "
                + "says so."),
        .literal([
            "realm-query --remnants --stat app.realm",
            "realm-query --remnants -f csv -o deleted.csv app.realm Message",
            "realm-query --remnants --sha256 app.realm Message 'text CONTAINS $0' --arg invoice",
            "realm-query --provenance=value app.realm Message",
        ]),
    ]
}
