import ToolKit

/// A workload of `realm-bench` as SQL statements, for the comparison with SQLite.
struct SQLiteScript: Sendable {
    /// Table of the separate database (the stage) from which a script copies.
    enum Source: Sendable {
        /// Persons in ascending order of their primary keys.
        case people
        /// Persons with the primary keys of `people`, in random order.
        case shuffled
        /// New values for all persons, in random order.
        case replacements
        /// Randomly chosen keys.
        case chosen
        /// For each operation, the key of a person to delete, and a person to insert.
        case churn
    }

    let name: String
    let source: Source?
    /// Whether all persons are inserted before the measured part.
    var isFull = true
    var writes = true
    /// Number of operations per commit, as a multiple of `--commit-operations`. 0 for one operation
    /// per commit, -1 for one commit of all operations.
    var batches = 1
    /// Divisor of `--num`: the workload has `--num` / `share` operations.
    var share = 1
    /// Number of times that `statements` are executed, each time as one operation; 0 if
    /// `statements` process a range of operations.
    var repeats = 0
    /// SQL for a range of operations. In `>=A` and `<B`, the letters are placeholders for the first
    /// operation and for the one after the last.
    let statements: String

    private static let columns =
        "_id,name,age,email,score,active,created,city,visits,best,photo"

    static let schema = """
        CREATE TABLE dog(_id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
        CREATE TABLE person(_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, email TEXT, \
        score REAL, active INTEGER, created INTEGER, city TEXT, visits INTEGER, \
        best INTEGER, photo BLOB);
        CREATE TABLE owned(person INTEGER, dog INTEGER, PRIMARY KEY(person, dog)) WITHOUT ROWID;
        INSERT INTO dog SELECT * FROM stage.dog;
        """

    /// Indexes by which SQLite finds the persons that link to a dog, as Realm does with backlinks.
    static let inverse = """
        CREATE INDEX person_best ON person(best);
        CREATE INDEX owned_dog ON owned(dog);
        """

    private static func insert(from table: String, where condition: String) -> String {
        "INSERT INTO person SELECT \(columns) FROM stage.\(table) WHERE \(condition);"
            + "INSERT INTO owned SELECT _id,dog FROM stage.\(table) "
            + "WHERE dog IS NOT NULL AND \(condition);"
    }

    private static let range = "seq>=A AND seq<B"
    /// Inserts all persons.
    static let fill = "BEGIN;" + insert(from: "people", where: "1") + "COMMIT;"

    private static let update = """
        UPDATE person SET name=o.name,age=o.age,email=o.email,score=o.score,active=o.active,\
        created=o.created,city=o.city,visits=o.visits,best=o.best,photo=o.photo \
        FROM stage.replacements o WHERE o.seq>=A AND o.seq<B AND person._id=o._id;\
        DELETE FROM owned WHERE person IN (SELECT _id FROM stage.replacements WHERE \
        dog IS NOT NULL AND seq>=A AND seq<B);\
        INSERT INTO owned SELECT _id,dog FROM stage.replacements WHERE dog IS NOT NULL AND \
        seq>=A AND seq<B;
        """

    private static let everything = """
        sum(length(p.name)+p.age+length(p.email)+p.score+p.active+p.created+length(p.city)\
        +ifnull(p.visits,0)+ifnull(p.best,0)+ifnull(length(p.photo),0)\
        +(SELECT ifnull(sum(dog),0) FROM owned WHERE person=p._id))
        """

    private static func delete(_ keys: String) -> String {
        "DELETE FROM person WHERE _id IN (\(keys));DELETE FROM owned WHERE person IN (\(keys));"
    }

    static let all: [SQLiteScript] = [
        SQLiteScript(
            name: "readseq", source: .people, writes: false, batches: -1,
            statements: "SELECT \(everything) FROM person p;"),
        SQLiteScript(
            name: "readrandom", source: .chosen, writes: false, batches: -1,
            statements:
                "SELECT \(everything) FROM stage.chosen c CROSS JOIN person p ON p._id=c._id;"),
        SQLiteScript(
            name: "export", source: .people, writes: false, batches: -1,
            statements: """
                SELECT json_object('_id',_id,'name',name,'age',age,'email',email,'score',score,\
                'active',active,'created',created,'city',city,'visits',visits,'best',best,\
                'dogs',(SELECT json_group_array(dog) FROM owned WHERE person=p._id)) \
                FROM person p;
                """),
        SQLiteScript(
            name: "fillseq", source: .people, isFull: false,
            statements: insert(from: "people", where: range)),
        SQLiteScript(
            name: "fillrandom", source: .shuffled, isFull: false,
            statements: insert(from: "shuffled", where: range)),
        SQLiteScript(
            name: "fillbatch", source: .people, isFull: false, batches: 10,
            statements: insert(from: "people", where: range)),
        SQLiteScript(
            name: "fillsync", source: .people, isFull: false, batches: 0, share: 100,
            statements: insert(from: "people", where: range)),
        SQLiteScript(name: "overwrite", source: .replacements, statements: update),
        SQLiteScript(
            name: "updaterandom", source: .chosen,
            statements: "UPDATE person SET visits=c.seq FROM stage.chosen c "
                + "WHERE c.seq>=A AND c.seq<B AND person._id=c._id;"),
        SQLiteScript(
            name: "deleteseq", source: .people,
            statements: "DELETE FROM person WHERE _id>=A AND _id<B;"
                + "DELETE FROM owned WHERE person>=A AND person<B;"),
        SQLiteScript(
            name: "deleterandom", source: .shuffled,
            statements: delete("SELECT _id FROM stage.shuffled WHERE \(range)")),
        SQLiteScript(
            name: "churn", source: .churn,
            statements: delete("SELECT old FROM stage.churn WHERE \(range)")
                + insert(from: "churn", where: range)),
        SQLiteScript(
            name: "create-index", source: .people, batches: -1,
            statements: "CREATE INDEX person_email ON person(email);"),
    ]

    /// SQL statements with the queries of the query workloads. Each query is repeated as often as
    /// in its workload.
    static let queries: [SQLiteScript] = [
        query("query-int", .int, "SELECT count(*) FROM person WHERE age>50;"),
        query("query-int-index", .intIndex, "SELECT count(*) FROM person WHERE _id=1234;"),
        query("query-string", .string, "SELECT count(*) FROM person WHERE city='Berlin';"),
        query("query-like", .like, "SELECT count(*) FROM person WHERE name GLOB 'A*n*g';"),
        query(
            "query-links", .links,
            "SELECT count(*) FROM person p JOIN dog d ON d._id=p.best WHERE d.age>10;"),
        query("query-in", .in, "SELECT count(*) FROM person WHERE age IN (1,2,3,5,8,13,21);"),
        query("sort", .sort, "SELECT _id FROM person ORDER BY city,age;"),
        query("sort-limit", .sortLimit, "SELECT _id FROM person ORDER BY score DESC LIMIT 20;"),
        query("distinct", .distinct, "SELECT min(_id) FROM person GROUP BY name;"),
    ]

    private static func query(
        _ name: String, _ query: PeopleQuery, _ statement: String
    ) -> SQLiteScript {
        SQLiteScript(
            name: name, source: .people, writes: false, batches: -1, repeats: query.times,
            statements: statement)
    }

    static func named(_ name: String) -> SQLiteScript? {
        (all + queries).first { $0.name == name }
    }

    static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    }

    // MARK: Numbers of operations

    func operations(_ setting: BenchSetting) -> Int {
        repeats > 0 ? min(repeats, setting.num) : max(1, setting.num / share)
    }

    private func size(_ setting: BenchSetting) -> Int {
        batches < 0 ? operations(setting) : batches == 0 ? 1 : setting.batch * batches
    }

    func commits(_ setting: BenchSetting) -> Int {
        (operations(setting) + size(setting) - 1) / size(setting)
    }

    func finalCount(_ setting: BenchSetting) -> Int {
        if !isFull { return operations(setting) }
        return name.hasPrefix("delete") ? 0 : setting.num
    }

    /// Returns all SQL statements of a run.
    func text(_ setting: BenchSetting) -> String {
        if repeats > 0 {
            return String(repeating: statements + "\n", count: operations(setting))
        }
        if batches < 0 { return statements }
        var text = ""
        var first = 0
        let count = operations(setting)
        while first < count {
            let end = min(count, first + size(setting))
            text += "BEGIN;" + Self.numbered(statements, first, end) + "COMMIT;\n"
            first = end
        }
        return text
    }

    private static func numbered(_ statements: String, _ first: Int, _ end: Int) -> String {
        var result = ""
        var before: Character = " "
        for character in statements {
            switch character {
            case "A" where before == "=": result += String(first)
            case "B" where before == "<": result += String(end)
            default: result.append(character)
            }
            before = character
        }
        return result
    }
}
