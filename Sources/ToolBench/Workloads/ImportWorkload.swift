import RealmEngine
import ToolKit
import ToolWrite

/// Reads persons as NDJSON and inserts them like `realm-write`: parses them, checks them, looks up
/// the targets of links, and commits. One operation is a record. Records are not timed one by one.
final class ImportWorkload: WriteWorkload {
    override var startsFull: Bool { false }
    override var finalCount: Int { setting.num }

    private var records: [UInt8] = []
    private var logicalBytes = 0

    override func create() throws(RealmError) {
        try super.create()
        var source = PeopleSource(seed: setting.seed, photoSize: setting.valueSize)
        var text = ByteBuffer(capacity: 256 * setting.num)
        for i in 0..<setting.num {
            let someone = source.next(id: Int64(i))
            logicalBytes += someone.logicalSize
            text.append(someone)
        }
        records = Array(text.bytes)
    }

    @_optimize(speed)
    override func perform(_ people: PeopleDatabase, _ meter: inout Meter) throws(RealmError) {
        let words = [
            "-q", "--commit-records", "\(commitEvery)", "--commit-interval", "1h",
            "--commit-bytes", "1TiB", people.path, "Person",
        ]
        guard let session = people.session else {
            throw .failedCheck("nothing writes to the database")
        }
        let commits = try RecordLoading.load(
            words, records, into: session)
        people.note(commits: commits, logicalBytes: logicalBytes)
        meter.count(operations: setting.num)
    }
}

extension ByteBuffer {
    /// Appends a person as one line of JSON.
    fileprivate mutating func append(_ someone: Person) {
        append("{\"_id\":")
        append(number: someone.id)
        append(",\"name\":")
        append(json: someone.name)
        append(",\"age\":")
        append(number: someone.age)
        append(",\"email\":")
        append(json: someone.email)
        append(",\"score\":")
        append(number: someone.score)
        append(",\"active\":")
        append(someone.isActive)
        append(",\"created\":\"")
        append(rfc3339: someone.created)
        append("\",\"city\":")
        append(json: someone.city)
        append(",\"visits\":")
        if let visits = someone.visits { append(number: visits) } else { append("null") }
        append(",\"best\":")
        if let best = someone.best { append(number: best) } else { append("null") }
        append(",\"dogs\":[")
        if let dog = someone.dog { append(number: dog) }
        append("]")
        if let photo = someone.photo {
            append(",\"photo\":\"")
            append(base64: photo)
            append("\"")
        }
        append("}\n")
    }
}
