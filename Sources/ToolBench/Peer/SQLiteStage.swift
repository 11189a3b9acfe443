import RealmEngine
import RealmRecords
import ToolKit

/// Prepares the objects of a measurement for SQLite, in a separate database (the stage).
struct SQLiteStage {
    private let setting: BenchSetting
    private let sources: Set<SQLiteScript.Source>

    init(_ setting: BenchSetting, _ scripts: [SQLiteScript]) {
        self.setting = setting
        sources = Set(scripts.compactMap(\.source))
    }

    private static let columns = """
        seq INTEGER PRIMARY KEY, _id INTEGER, name TEXT, age INTEGER, email TEXT, score REAL, \
        active INTEGER, created INTEGER, city TEXT, visits INTEGER, best INTEGER, photo BLOB, \
        dog INTEGER
        """

    /// Sends the statements that create all tables of `sources`, in parts of about 64 KiB.
    func fill(_ child: ChildProcess) throws(RealmError) {
        var sql = ByteBuffer(capacity: 1 << 17)
        sql.append("PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;BEGIN;")
        sql.append("CREATE TABLE dog(_id INTEGER PRIMARY KEY, name TEXT, age INTEGER);\n")
        for i in 0..<PeopleSource.dogs {
            sql.append("INSERT INTO dog VALUES(\(i),'dog\(i)',\(i % 15));\n")
        }
        try people("people", seed: 0, ids: { Int64($0) }, &sql, child)
        var random = SplitMix64(seed: setting.seed &+ 0x5EED)
        let order = (0..<Int64(setting.num)).shuffled(using: &random)
        if sources.contains(.shuffled) {
            try people("shuffled", seed: 0, ids: { order[$0] }, &sql, child)
        }
        if sources.contains(.replacements) {
            try people("replacements", seed: 1, ids: { order[$0] }, &sql, child)
        }
        if sources.contains(.chosen) { try chosen(&sql, child) }
        if sources.contains(.churn) { try churn(&sql, child) }
        sql.append("COMMIT;\n")
        try child.send(sql)
    }

    private func people(
        _ table: String, seed: UInt64, ids: (Int) -> Int64, _ sql: inout ByteBuffer,
        _ child: ChildProcess
    ) throws(RealmError) {
        sql.append("CREATE TABLE \(table)(\(Self.columns));\n")
        var source = PeopleSource(seed: setting.seed &+ seed, photoSize: setting.valueSize)
        for i in 0..<setting.num {
            append(source.next(id: ids(i)), table, i, &sql)
            sql.append(");\n")
            try pass(&sql, child)
        }
    }

    private func chosen(_ sql: inout ByteBuffer, _ child: ChildProcess) throws(RealmError) {
        sql.append("CREATE TABLE chosen(seq INTEGER PRIMARY KEY, _id INTEGER);\n")
        var chooser = KeyChooser(
            setting.distribution, count: setting.num, seed: setting.seed &+ 2)
        for i in 0..<setting.num {
            sql.append("INSERT INTO chosen VALUES(\(i),\(chooser.choose(setting.num)));\n")
            try pass(&sql, child)
        }
    }

    private func churn(_ sql: inout ByteBuffer, _ child: ChildProcess) throws(RealmError) {
        sql.append("CREATE TABLE churn(\(Self.columns), old INTEGER);\n")
        var source = PeopleSource(seed: setting.seed &+ 3, photoSize: setting.valueSize)
        var random = SplitMix64(seed: setting.seed &+ 4)
        var ids = (0..<Int64(setting.num)).map { $0 }
        // Persons that were inserted in this batch. They are not deleted in the same batch, because
        // SQLite executes the deletions and the insertions of a batch as two separate steps.
        var batch: Set<Int64> = []
        for i in 0..<setting.num {
            if i % setting.batch == 0 { batch = [] }
            var place = random.below(ids.count)
            while batch.contains(ids[place]), batch.count < ids.count {
                place = (place + 1) % ids.count
            }
            let old = ids[place]
            ids[place] = Int64(setting.num + i)
            batch.insert(ids[place])
            append(source.next(id: ids[place]), "churn", i, &sql)
            sql.append(",\(old));\n")
            try pass(&sql, child)
        }
    }

    /// Appends `INSERT INTO table VALUES(…`, without the closing parenthesis.
    private func append(_ person: Person, _ table: String, _ i: Int, _ sql: inout ByteBuffer) {
        sql.append("INSERT INTO \(table) VALUES(\(i),\(person.id)")
        quote(person.name, &sql)
        sql.append(",\(person.age)")
        quote(person.email, &sql)
        sql.append(",\(person.score),\(person.isActive ? 1 : 0),\(person.created.seconds)")
        quote(person.city, &sql)
        sql.append(",\(person.visits.map(String.init) ?? "NULL")")
        sql.append(",\(person.best.map(String.init) ?? "NULL"),")
        if let photo = person.photo {
            sql.append("x'")
            for i in 0..<photo.count {
                sql.append(Hexadecimal.digits(photo[i]))
            }
            sql.append("'")
        } else {
            sql.append("NULL")
        }
        sql.append(",\(person.dog.map(String.init) ?? "NULL")")
    }

    /// Appends a quoted text. Generated texts contain no quotes.
    private func quote(_ text: ByteView, _ sql: inout ByteBuffer) {
        sql.append(",'")
        sql.append(text)
        sql.append("'")
    }

    private func pass(_ sql: inout ByteBuffer, _ child: ChildProcess) throws(RealmError) {
        guard sql.count > 1 << 16 else { return }
        try child.send(sql)
        sql.removeAll()
    }
}
