import RealmEngine
import ToolKit
import ToolWrite

/// Operations that load JSON records with the code of `realm-write`, and an operation that applies
/// the schema that the file already has.
extension BulkOperation {
    static let records: [BulkOperation] = [
        records(
            "update-records",
            "set two indexed integers of a random half of the objects, by input records as in "
                + "realm-write", "update"),
        records(
            "merge-records",
            "merge input records into a random half of the objects, as realm-write -m merge "
                + "does", "merge"),
        records(
            "delete-records",
            "delete a random half of the objects, by input records that contain their primary "
                + "keys", "delete"),
        BulkOperation(
            "infer-wide",
            "infer N/20 properties from 20 input records, as realm-write --infer does",
            per: 20, leaves: { _ in 20 },
            prepare: { (d) throws(RealmError) in d.makeWideRecords(20) },
            measure: { (d) throws(RealmError) in try d.load(["--infer"]) }),
        BulkOperation(
            "reapply-wide-schema",
            "apply a schema of N/20 properties that the file already has", per: 20,
            leaves: { _ in 0 },
            prepare: { (d) throws(RealmError) in try d.addWideClass() },
            measure: { (d) throws(RealmError) in try d.reapplySchema() }),
    ]

    private static func records(_ name: String, _ summary: String, _ mode: String) -> BulkOperation
    {
        BulkOperation(
            name, summary, leaves: { mode == "delete" ? $0 - $0 / 2 : $0 },
            prepare: { (d) throws(RealmError) in
                try d.addIndexed(indexes: 2)
                d.makeRecords(withValues: mode != "delete")
            },
            measure: { (d) throws(RealmError) in try d.load(["-1", "-m", mode]) })
    }
}

extension BulkDatabase {
    /// Fills `records` with lines of JSON, one for each object of a random half of the objects.
    fileprivate func makeRecords(withValues: Bool) {
        var text = ByteBuffer(capacity: 64 * count)
        for i in shuffled().prefix(count / 2) {
            text.append("{\"_id\":\"item")
            text.append(number: i)
            text.append("\"")
            for column in 0..<(withValues ? 2 : 0) {
                text.append(",\"number\(column)\":")
                text.append(number: below(1 << 40))
            }
            text.append("}\n")
        }
        records = Array(text.bytes)
    }

    /// Creates records with `count` fields each.
    fileprivate func makeWideRecords(_ number: Int) {
        var text = ByteBuffer(capacity: 16 * count * number)
        for record in 0..<number {
            text.append("{")
            for i in 0..<count {
                if i > 0 { text.append(",") }
                text.append("\"property\(i)\":")
                text.append(number: i * record)
            }
            text.append("}\n")
        }
        records = Array(text.bytes)
    }

    /// Loads `records` with these options of `realm-write`.
    fileprivate func load(_ options: [String]) throws(RealmError) {
        guard let session else { throw .failedCheck("nothing writes to the database") }
        _ = try RecordLoading.load(["-q"] + options + [path, "Item"], records, into: session)
    }

    /// Plans and applies the schema that the file already has, which must change nothing.
    fileprivate func reapplySchema() throws(RealmError) {
        let schema = snapshot().schema
        var plan = SchemaPlan(snapshot(), advice: { _ in "" })
        try plan.add(schema.classes.map { ClassSpec($0, schema) })
        guard plan.isEmpty else { throw .failedCheck("the schema is not what it is") }
        try plan.apply(try writing())
    }
}
