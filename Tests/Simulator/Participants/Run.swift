import RealmEngine
import SimulatedPlatform

/// One seed: rounds of processes, each followed by a process that checks what the file has.
struct Run {
    let plan: Plan
    private let board = Board()

    /// Failure and totals of a run.
    struct Result {
        var failure: String?
        var steps = 0
        var commits = 0
        var reads = 0
        var deaths = 0
        var powerFailures = 0
        var trace: UInt64 = 0
        var decisions: [sim_decision] = []
    }

    /// Makes the database with which all runs begin, in the process that starts the others, which
    /// inherit what the runtime has cached then.
    static func prepare() {
        var settings = sim_settings()
        settings.step_limit = 1_000_000
        sim_reset(&settings)
        sim_enter()
        var options = WriteSession.Options()
        options.creates = true
        do throws(RealmError) {
            let session = try WriteSession(path: ItemDatabase.path, options: options)
            var transaction = try session.begin()
            try ItemDatabase.create(in: transaction)
            try transaction.commit()
            transaction = try session.begin()
            for key in 0..<8 { try ItemDatabase.set(key, initial(key), in: transaction) }
            let version = try transaction.commit()
            let snapshot = session.database.snapshot()
            let content = try ItemDatabase.content(of: snapshot)
            precondition(content?[7] == initial(7))
            firstVersion = version
        } catch { fatalError("\(error)") }
        sim_leave()
        sim_save_files()
    }

    nonisolated(unsafe) private static var firstVersion: UInt64 = 0

    private static func initial(_ key: Int) -> UInt64 { UInt64(key + 1) &* 0x9E37_79B9_7F4A_7C15 }

    /// Runs the seed, or the recorded decisions.
    func run(replaying decisions: [sim_decision]? = nil) -> Result {
        var result = Result()
        var settings = plan.settings
        settings.replays = decisions != nil
        sim_reset(&settings)
        if let decisions { sim_set_decisions(decisions, decisions.count) }
        sim_restore_files()
        board.reset()
        let first = (0..<Board.keyCount).map { $0 < 8 ? Self.initial($0) : 0 }
        board.adopt(Self.firstVersion, first)
        for (number, kinds) in plan.rounds.enumerated() {
            guard runRound(number, kinds, &settings, &result) else { break }
            sim_continue(&settings)
        }
        result.commits = board.commits
        result.reads = board.reads
        result.deaths = Int(sim_deaths())
        result.trace = sim_trace_hash()
        if decisions == nil { result.decisions = Self.recorded() }
        return result
    }

    private func runRound(
        _ number: Int, _ kinds: [Plan.Kind], _ settings: inout sim_settings, _ result: inout Result
    ) -> Bool {
        for (i, kind) in kinds.enumerated() { start(number, i, kind) }
        guard end(sim_run(), &result) else { return false }
        var calm = plan.undisturbed
        calm.replays = settings.replays
        sim_continue(&calm)
        let seed = plan.seed &* 1000 &+ UInt64(number)
        if sim_fork("recovery") == 0 {
            var participant = Participant("recovery", seed: seed, isAlone: true)
            participant.recover()
            sim_exit()
        }
        return end(sim_run(), &result)
    }

    /// Returns whether the run goes on.
    private func end(_ end: sim_end, _ result: inout Result) -> Bool {
        result.steps += Int(sim_steps())
        switch end {
        case SIM_DONE: return true
        case SIM_POWER:
            result.powerFailures += 1
            sim_lose_power()
            return true
        default:
            result.failure = String(cString: sim_failure())
            return false
        }
    }

    private func start(_ round: Int, _ index: Int, _ kind: Plan.Kind) {
        let name = kind.map(\.rawValue).joined(separator: "+")
        guard sim_fork(name) == 0 else { return }
        let seed = (plan.seed &* 64 &+ UInt64(round)) &* 64 &+ UInt64(index * 8)
        let isPunctual = plan.isPunctual
        Threads.run(kind.count) { thread in
            var participant = Participant(
                "\(kind[thread].rawValue) \(index).\(thread)", seed: seed &+ UInt64(thread))
            switch kind[thread] {
            case .writer: participant.write()
            case .reader: participant.read()
            case .opener: participant.reopen()
            case .watcher: participant.watch(isPunctual: isPunctual)
            }
        }
        sim_exit()
    }

    private static func recorded() -> [sim_decision] {
        let capacity = 1 << 16
        return [sim_decision](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = sim_decisions(buffer.baseAddress!, capacity)
        }
    }
}
