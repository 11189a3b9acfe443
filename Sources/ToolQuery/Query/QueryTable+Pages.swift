import ToolKit

extension QueryTable {
    /// Manual section about HTML pages.
    static let pages: [ManualBlock] = [
        .paragraph(
            "`--format html` prints one HTML page that shows a file in a browser: a diagram of the classes, "
                + "and a table for each, which sorts (click a heading) and filters. Links lead to their "
                + "object, and lists, dictionaries and embedded objects of an object unfold. The page "
                + "holds the first 1,000 objects of each class, or as many as `--limit` says, in the "
                + "order of the file, and says where that is not all."),
        .literal([
            "realm-query -f html -o app.html app.realm",
            "realm-query -f html -L 100000 -o app.html app.realm",
        ]),
        .paragraph(
            "The page needs no network and no other file. What is in the file is text on it, whatever it "
                + "looks like: the page may be opened though the file comes from a stranger."),
    ]
}
