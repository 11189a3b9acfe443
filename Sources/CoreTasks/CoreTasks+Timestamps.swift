import RealmEngine
import ToolBench
import ToolKit

extension CoreTask {
    /// A condition on the dates of the objects.
    private struct TimeQuestion: Sendable {
        let relation: QueryRelation
        /// Average number of objects without a date among 101 objects.
        let nulls: Int
        /// Share of the dates that are before the constant of the condition; nil if the constant is
        /// null.
        let share: Double?
        var isLinked = false

        /// Whether a date satisfies the condition.
        func holds(_ time: Timestamp?, _ needle: Timestamp?) -> Bool {
            switch relation {
            case .equal: return time == needle
            case .notEqual: return time != needle
            default: break
            }
            guard let time, let needle else { return false }
            let a = (time.seconds, time.nanoseconds)
            let b = (needle.seconds, needle.nanoseconds)
            switch relation {
            case .greater: return a > b
            case .greaterEqual: return a >= b
            case .less: return a < b
            default: return a <= b
            }
        }

        func predicate(_ needle: QueryArgument) -> QueryCondition {
            isLinked
                ? .comparing("myLink", "time", relation: relation, to: needle)
                : .comparing("time", relation: relation, to: needle)
        }
    }

    private static func times(_ question: TimeQuestion) -> Build {
        { (database) throws(RealmError) in
            var property = PropertySpec("time", .timestamp)
            property.isOptional = true
            try database.makeTable([property])
            var times: [Timestamp?] = []
            for _ in 0..<database.baseSize {
                let seconds = Int64(database.random.below(1_000_001))
                let nanoseconds = Int32(database.random.below(1_000_001))
                let isNull = database.random.below(101) < question.nulls
                let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
                times.append(isNull ? nil : time)
                try database.add(isNull ? .null : .timestamp(time))
            }
            if question.isLinked { try database.makeLinks() }
            let needle = needle(times, question.share)
            database.needles = [needle.map { .timestamp($0) } ?? .null]
            database.expected = times.count { question.holds($0, needle) }
        }
    }

    private static func needle(_ times: [Timestamp?], _ share: Double?) -> Timestamp? {
        let known = times.compactMap { $0 }.sorted {
            ($0.seconds, $0.nanoseconds) < ($1.seconds, $1.nanoseconds)
        }
        guard let share, !known.isEmpty else { return nil }
        return known[min(known.count - 1, Int(Double(known.count) * share))]
    }

    private static func time(
        _ name: String, _ summary: String, _ relation: QueryRelation, nulls: Int, _ share: Double?,
        isLinked: Bool = false
    ) -> CoreTask {
        let question = TimeQuestion(
            relation: relation, nulls: nulls, share: share, isLinked: isLinked)
        return .read(
            "query-timestamp-" + name, summary, times: isLinked ? 20 : 100, times(question)
        ) { (reader) throws(RealmError) in
            try reader.find(
                question.predicate(reader.database.needles[0]),
                of: isLinked ? reader.links() : nil)
        }
    }

    static let timestamps: [CoreTask] = [
        time(
            "greater-over-links", "find later times over a link", .greater, nulls: 10, 0.8,
            isLinked: true),
        time("greater", "find later times", .greater, nulls: 10, 0.8),
        time("greater-equal", "find times not earlier", .greaterEqual, nulls: 10, 0.8),
        time("less", "find earlier times", .less, nulls: 10, 0.2),
        time("less-equal", "find times not later", .lessEqual, nulls: 10, 0.2),
        time("equal", "find a time", .equal, nulls: 10, 0.33),
        time("not-equal", "find other times", .notEqual, nulls: 60, 0.1),
        time("not-null", "find known times", .notEqual, nulls: 60, nil),
        time("equal-null", "find missing times", .equal, nulls: 10, nil),
    ]
}
