import ToolKit

extension QueryTable {
    /// Remains of earlier versions.
    static let remnants: [ManualBlock] = [
        .paragraph(
            "A commit never writes over the version before it, and space that no version uses keeps its "
                + "bytes until a commit takes it. `--remnants` finds objects there: first those of the "
                + "version before the newest, which the header still knows, then of versions that some "
                + "program keeps, then of the rest of the file, where it searches for cluster leaves (the "
                + "nodes that hold up to 256 objects) and the leaves of their columns. A record holds the "
                + "properties and:"),
        .definitions([
            (
                "`$class`, `$key`",
                "The class, and the number by which Realm knows the object: null where the nodes that "
                    + "say it are lost."
            ),
            (
                "`$state`",
                "`deleted`: the newest version has no such object. `changed`: it has other values now in "
                    + "the properties `$changed`. `orphan`: it has no such class."
            ),
            (
                "`$certainty`",
                "`whole`: every column of the object's leaf is there, nothing was written over one, and no "
                    + "other leaf has it. `partial`: the values of `$missing` are lost, and printed as null. "
                    + "`doubtful`: a column may be one of another leaf or of another time, because two leaves "
                    + "claim it or its values have nothing to do with those of the objects that are still "
                    + "there. Do not report a doubtful value without a proof of its own."
            ),
            (
                "`$source`",
                "`previous`, `version N`, `free` for space on the free list, `unlisted` for space that is "
                    + "neither used nor on it."
            ),
            (
                "`$offset`, `$row`",
                "Byte offset of the cluster leaf in the file, of an encrypted file in what it decrypts to, and "
                    + "the object's row there, from 0."
            ),
            ("`$copies`", "How many equal states were found, where it is more than one."),
            (
                "`$versions`",
                "The first and the last version that can have had this state: of `previous` and "
                    + "`version N` that one; of free space the last before those that can be read, and the "
                    + "first after which the file was large enough. A commit that was not finished leaves "
                    + "states, too, which no version ever had."
            ),
        ]),
        .paragraph(
            "Records come class by class, in the order of the keys, the newest state of an object first as "
                + "far as that is known. With CLASS a PREDICATE chooses; a value that is lost matches "
                + "nothing. SORT, DISTINCT and LIMIT cannot be used with it. `--stat` counts for each class, "
                + "`--count` prints the number, and `-e` exits with status 1 where there is nothing. "
                + "Objects of embedded classes are records of their own. Links of free space are resolved "
                + "in the newest version; where the object is not there they are "
                + "`{\"$link\":{\"table\":\"Person\",\"_key\":17}}`. Properties that were removed since follow "
                + "those the class has."),
        .paragraph(
            "A property that a commit changed in most objects of a leaf makes the older states of that leaf "
                + "doubtful. Lost are: what was written over, compacted files, streams, and files that were "
                + "written anew. Of files of formats 2 to 9 only the previous version is read. Pages of an "
                + "encrypted file that do not fit its key are passed over."),
        .literal([
            "realm-query --remnants --stat app.realm",
            "realm-query --remnants -f csv -o deleted.csv app.realm Message",
            "realm-query --remnants --sha256 app.realm Message 'text CONTAINS $0' --arg invoice",
            "realm-query --provenance=value app.realm Message",
        ]),
    ]
}
