import RealmEngine
import ToolKit
import ToolQuery

/// Operations that read whole files: queries with `realm-query`, and salvage.
extension BulkOperation {
    static let reading: [BulkOperation] = [
        query("sort-text", "sort all objects by a string", ["TRUEPREDICATE SORT(_id DESC)"]),
        query(
            "sort-spilled", "like sort-text, with 1 KiB of memory and a temporary file",
            ["TRUEPREDICATE SORT(_id DESC)"], ["--max-memory", "1KiB"]),
        query(
            "distinct-text", "find the first object with each value of a string",
            ["TRUEPREDICATE DISTINCT(_id)"]),
        query(
            "group-text", "count the objects with each value of a string",
            [], ["--group-by", "_id", "--aggregate", "count"]),
        diff("diff-equal", "compare two files with the same objects", changes: 0),
        diff("diff-changed", "compare two files of which every tenth object differs", changes: 10),
        BulkOperation(
            "diff-other-order",
            "compare two files with the same objects, which were inserted in another order",
            leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addItemsInTwoOrders() },
            measure: { (d) throws(RealmError) in try d.compare(expecting: .ok) }),
        BulkOperation(
            "diff-equal-sets", "compare two files with the same set of texts", leaves: { _ in 1 },
            prepare: { (d) throws(RealmError) in
                try d.addCollection(.set, .string, isFull: false)
                let location = CollectionLocation(d.table, d.owner, 0)
                for i in 0..<d.count {
                    try d.writing().insertMember(d.text("member", i), into: location)
                    d.clearTexts()
                }
                try d.commit()
                try d.writeCopy()
            },
            measure: { (d) throws(RealmError) in try d.compare(expecting: .ok) }),
        BulkOperation(
            "diff-classes", "compare two files with the same N/20 classes",
            per: 20, leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in
                try d.addClasses()
                try d.writeCopy()
            },
            measure: { (d) throws(RealmError) in try d.compare(expecting: .ok) }),
        BulkOperation(
            "salvage", "salvage an undamaged file into another one", leaves: { $0 },
            prepare: { (d) throws(RealmError) in
                try d.addIndexed(indexes: 2)
                d.copy = try ScratchFile(d.setting, name: "copy")
            },
            measure: { (d) throws(RealmError) in try d.salvage() }),
    ]

    private static func query(
        _ name: String, _ summary: String, _ predicate: [String], _ options: [String] = []
    ) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { $0 },
            prepare: { (d) throws(RealmError) in try d.addIndexed(indexes: 0) },
            measure: { (d) throws(RealmError) in
                try d.ask(options + [d.path, "Item"] + predicate, expecting: .ok)
            })
    }

    /// Creates an operation that compares the database with its copy.
    ///
    /// - Parameter changes: each object at a multiple of this number differs; 0 if none differs.
    private static func diff(_ name: String, _ summary: String, changes: Int) -> BulkOperation {
        BulkOperation(
            name, summary, leaves: { $0 },
            prepare: { (d) throws(RealmError) in
                try d.addIndexed(indexes: 2)
                try d.writeCopy()
                if changes == 0 { return }
                for i in stride(from: 0, to: d.count, by: changes) {
                    try d.writing().set(d.table, d.keys[i], 1, .int(-1))
                }
            },
            measure: { (d) throws(RealmError) in
                try d.compare(expecting: changes == 0 ? .ok : .no)
            })
    }
}

extension BulkDatabase {
    /// Creates `count` objects in the order of their keys. In a second file, creates the same
    /// objects in random order.
    func addItemsInTwoOrders() throws(RealmError) {
        try addItems(0..<count)
        let copy = try ScratchFile(setting, name: "copy")
        self.copy = copy
        let other = try BulkDatabase(path: copy.path, setting)
        try other.addItems(shuffled())
    }

    private func addItems(_ numbers: some Sequence<Int>) throws(RealmError) {
        try addIndexedClass(indexes: 2)
        for i in numbers {
            try add([text("item", i), .int(Int64(i)), .int(Int64(i &* 7919))], to: table)
        }
        try commit()
    }

    /// Runs `realm-query` with a command line, without output.
    func ask(_ words: [String], expecting expected: ExitCode) throws(RealmError) {
        let all = ["--progress", "never", "--force", "-o", "/dev/null"] + (try keyWords()) + words
        let code = try QueryTool.run(try OptionParser.parse(QueryTable.table, all[...]))
        if setting.key != nil {
            // Resets the memory limit that the tool has set for the whole process.
            try OptionParser.parse(QueryTable.table, [path][...]).limitPlainMemory()
        }
        guard code == expected else {
            throw .failedCheck("realm-query ended with exit status \(code.rawValue)")
        }
    }

    /// Salvages the whole file into `copy`.
    func salvage() throws(RealmError) {
        guard let copy else { throw .failedCheck("there is no file to salvage into") }
        let directory = setting.directory
        _ = try Salvage.run(
            path: path, into: copy.path, spillingInto: directory, key: setting.key
        ) { (loss) throws(RealmError) in
            throw .failedCheck("something was lost of a file that is not damaged")
        }
        let salvaged = try Database(immutable: copy.path, key: setting.key).snapshot()
        guard try salvaged.objectCount(salvaged.schema.classes) == count else {
            throw .failedCheck("the salvaged file has another number of objects")
        }
    }

    /// Compares the database with its copy.
    func compare(expecting expected: ExitCode) throws(RealmError) {
        guard let copy else { throw .failedCheck("there is no copy to compare with") }
        try ask(["--diff", copy.path, path], expecting: expected)
    }
}
