import ToolKit

extension QueryTable {
    /// Manual section about HTML pages.
    static let pages: [ManualBlock] = [
        .paragraph(
            "`--format html` prints one HTML page for a browser: a diagram of the classes, and a "
                + "table for each class. A click on a heading sorts the table, and typing filters "
                + "it. A click on a link shows the linked object; lists, dictionaries and embedded "
                + "objects can be unfolded. The page contains the first 1,000 objects of each "
                + "class, or the number given by `--limit`, in the order of the file. If a class "
                + "has more objects, the page says so."),
        .literal([
            "realm-query -f html -o app.html app.realm",
            "realm-query -f html -L 100000 -o app.html app.realm",
        ]),
        .paragraph(
            "The page needs no network and no other file. All data from the file is shown as "
                + "plain text, so the page is safe to open even if the file comes from an "
                + "untrusted source."),
    ]
}
