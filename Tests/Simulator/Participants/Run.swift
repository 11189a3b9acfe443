import RealmEngine
import SimulatedPlatform

/// A run of one seed: rounds of processes. After each round, another process checks the content of
/// the file.
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

    /// Makes the databases with which runs begin. Must be called in the process that starts the
    /// others, so that they inherit the caches that the runtime has filled by then.
    static func prepare() {
        var settings = sim_settings()
        (settings.step_limit, settings.sector) = (1_000_000, 512)
        sim_reset(&settings)
        sim_enter()
        for file in ItemFile.all where !file.isNew {
            do throws(RealmError) {
                firstVersion = try file.create(firstContent)
                let snapshot = try file.open().snapshot()
                let content = try ItemDatabase.content(of: snapshot)
                precondition(content?.prefix(firstContent.count) == firstContent[...])
            } catch { fatalError("\(error)") }
        }
        sim_leave()
        sim_save_files()
    }

    nonisolated(unsafe) private static var firstVersion: UInt64 = 0
    private static let firstContent = (1...8).map { UInt64($0) &* 0x9E37_79B9_7F4A_7C15 }

    /// Sets the model to the state of the files.
    private func resetBoard() {
        board.reset()
        var content = Board.Content(repeating: 0, count: Board.keyCount)
        if plan.file.isNew { return board.adopt(1, content) }
        content.replaceSubrange(0..<Self.firstContent.count, with: Self.firstContent)
        board.adopt(Self.firstVersion, content)
    }

    /// Runs the seed, or the recorded decisions.
    func run(replaying decisions: [sim_decision]? = nil) -> Result {
        var result = Result()
        var settings = plan.settings
        settings.replays = decisions != nil
        sim_reset(&settings)
        if let decisions { sim_set_decisions(decisions, decisions.count) }
        sim_restore_files()
        resetBoard()
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
            var participant = Participant("recovery", plan.file, seed: seed, isAlone: true)
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
        let (file, isPunctual) = (plan.file, plan.isPunctual)
        Threads.run(kind.count) { thread in
            var participant = Participant(
                "\(kind[thread].rawValue) \(index).\(thread)", file, seed: seed &+ UInt64(thread))
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
