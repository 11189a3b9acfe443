extension WriteTable {
    static let description: [ManualBlock] = [
        .paragraph(
            "`realm-write` adds, changes and deletes objects of a Realm database from records, "
                + "and edits its schema. Programs that have the file open see every commit.")
    ]
    static let sections: [ManualSection] = []
}
