/// The error if a commit changed the file while it was read without a session.
package enum DatabaseChange {
    package static let error = RealmError(
        .busy, code: "DatabaseChanged", reason: "changed-while-reading",
        "the database was changed while it was being read",
        hint: "try again, or read a copy")

    package static func isBehind(_ error: RealmError) -> Bool { error.reason == self.error.reason }
}
