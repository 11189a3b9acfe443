import SimulatedPlatform

/// Removes decisions of a failed run as long as it fails in the same way.
struct Shrinking {
    private let plan: Plan
    private let failure: String
    private(set) var decisions: [sim_decision]
    private(set) var runs = 0

    /// Returns nil if the recorded decisions do not fail in that way.
    init?(_ plan: Plan, _ result: Run.Result) {
        guard let failure = result.failure else { return nil }
        self.plan = plan
        self.failure = Self.kind(of: failure)
        decisions = result.decisions
        guard fails(decisions) else { return nil }
    }

    /// The failure without its numbers.
    private static func kind(of failure: String) -> String {
        String(failure.filter { !$0.isNumber }.prefix(60))
    }

    private mutating func fails(_ decisions: [sim_decision]) -> Bool {
        runs += 1
        let result = Run(plan: plan).run(replaying: decisions)
        return result.failure.map(Self.kind) == failure
    }

    /// Removes parts of the decisions, smaller ones each time, in at most `limit` runs.
    mutating func run(limit: Int = 1000) {
        var size = max(1, decisions.count / 2)
        while true {
            var start = 0
            while start < decisions.count, runs < limit {
                var fewer = decisions
                fewer.removeSubrange(start..<min(start + size, decisions.count))
                if fails(fewer) { decisions = fewer } else { start += size }
            }
            if size == 1 || runs >= limit { return }
            size /= 2
        }
    }

    /// Runs the rest again, for the table of its calls.
    func last() -> Run.Result { Run(plan: plan).run(replaying: decisions) }
}
