import RealmEngine

/// Operations on files in which readers pin many versions.
extension BulkOperation {
    static let versions: [BulkOperation] = [
        BulkOperation(
            "commit-pinned", "commit 50 times while readers hold N/100 older versions",
            per: 100, leaves: { _ in 1000 },
            prepare: { (d) throws(RealmError) in try d.holdVersions() },
            measure: { (d) throws(RealmError) in
                for _ in 0..<50 { try d.updateTen() }
            }),
        BulkOperation(
            "inspect-pinned",
            "find the space that cannot be reused because of each of N/100 held versions, as "
                + "realm-versions does",
            per: 100, leaves: { _ in 1000 },
            prepare: { (d) throws(RealmError) in try d.holdVersions() },
            measure: { (d) throws(RealmError) in
                let found = try Inspector(path: d.path, key: d.setting.key).inspect()
                guard found.versions.count >= d.count else {
                    throw .failedCheck("\(found.versions.count) versions were found")
                }
            }),
        BulkOperation(
            "release-pinned", "release N/100 held versions and commit",
            per: 100, leaves: { _ in 1000 },
            prepare: { (d) throws(RealmError) in try d.holdVersions() },
            measure: { (d) throws(RealmError) in
                d.releasePins()
                try d.updateTen()
            }),
    ]
}

extension BulkDatabase {
    /// Creates 1000 objects. Then creates and pins `count` versions, each of which changes ten
    /// objects.
    func holdVersions() throws(RealmError) {
        try addIndexedClass(indexes: 2)
        for i in 0..<1000 { keys.append(try addIndexedObject(i, indexes: 2)) }
        try commit()
        pin(count)
        for _ in 0..<count { try updateTen() }
    }
}
