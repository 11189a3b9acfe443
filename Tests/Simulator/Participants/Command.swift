import Glibc
import RealmEngine
import SimulatedPlatform

/// The command line.
struct Command {
    struct Problem: Error {
        let message: String
    }

    private static let usage = """
        usage: simulator [FIRST [COUNT]] [--jobs N] [--planted N] [--shrink] [--calls N] [--each]
               simulator --defects [FIRST [COUNT]]
        Runs COUNT seeds from FIRST on, each as often as you like with the same result.
          --jobs N     so many worker processes (2)
          --planted N  with a planted defect
          --shrink     shrink the first failing run and print its last calls as a table
          --calls N    number of calls in the table (60)
          --each       print a line for each seed
          --defects    find each planted defect within COUNT seeds (2000), from FIRST or its known seed on
        """

    private var numbers: [UInt64] = []
    private var planted: UInt32 = 0
    private var jobs = 2
    private var shownCalls = 60
    private var shrinks = false
    private var isEach = false
    private var findsDefects = false

    init(_ arguments: ArraySlice<String>) throws(Problem) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--planted": planted = UInt32(try Self.number(&rest))
            case "--jobs": jobs = max(1, Int(try Self.number(&rest)))
            case "--calls": shownCalls = Int(try Self.number(&rest))
            case "--shrink": shrinks = true
            case "--each": isEach = true
            case "--defects": findsDefects = true
            default:
                guard let number = UInt64(argument) else { throw Problem(message: Self.usage) }
                numbers.append(number)
            }
        }
    }

    private static func number(_ rest: inout ArraySlice<String>) throws(Problem) -> UInt64 {
        guard let number = rest.popFirst().flatMap({ UInt64($0) }) else {
            throw Problem(message: usage)
        }
        return number
    }

    /// Returns whether all seeds passed, or all defects were found.
    func run() -> Bool {
        if findsDefects { return findDefects() }
        let first = numbers.first ?? 1
        let count = numbers.count > 1 ? numbers[1] : 1
        return inWorkers(min(jobs, Int(count))) { worker in
            runSeeds(Array(stride(from: first + UInt64(worker), to: first + count, by: jobs)))
        }
    }

    /// Runs `body` in worker processes; returns whether all of them returned true.
    private func inWorkers(_ count: Int, _ body: (Int) -> Bool) -> Bool {
        if count == 1 { return body(0) }
        let workers = (0..<count).map { worker -> Int32 in
            let id = sim_fork_worker()
            if id != 0 { return id }
            // Each process has its own files.
            sim_create()
            sim_bind(Int32(worker % Threads.processorCount))
            Run.prepare()
            exit(body(worker) ? 0 : 1)
        }
        return workers.map { sim_wait_worker($0) }.allSatisfy { $0 == 0 }
    }

    private func runSeeds(_ seeds: [UInt64]) -> Bool {
        var total = Run.Result()
        var failures = 0
        for seed in seeds {
            let plan = Plan(seed: seed, planted: planted)
            let result = Run(plan: plan).run()
            total.add(result)
            if isEach { say("\(seed) \(result.failure ?? "ok") \(result.summary)") }
            guard let failure = result.failure else { continue }
            failures += 1
            say("seed \(seed) failed, \(plan.disturbance): \(failure)")
            if shrinks, failures == 1 { shrink(plan, result) }
        }
        say("\(seeds.count) seeds, \(failures) failed; \(total.summary)")
        return failures == 0
    }

    private func shrink(_ plan: Plan, _ result: Run.Result) {
        guard var shrinking = Shrinking(plan, result) else {
            return say("the run does not fail again in the same way")
        }
        shrinking.run()
        let last = shrinking.last()
        say(
            "shrunk from \(result.decisions.count) decisions to \(shrinking.decisions.count) in "
                + "\(shrinking.runs) runs: \(last.failure ?? "")")
        sim_print_calls(shownCalls)
    }

    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    // MARK: Planted defects

    private func findDefects() -> Bool {
        return inWorkers(jobs) { worker in
            let own = Defect.all.enumerated().filter { $0.offset % jobs == worker }.map(\.element)
            return own.map(find).allSatisfy { $0 }
        }
    }

    /// Runs seeds until one fails with the defect but not without it.
    private func find(_ defect: Defect) -> Bool {
        let first = numbers.first ?? defect.seed
        let seeds = first..<first + (numbers.count > 1 ? numbers[1] : 2000)
        for seed in seeds {
            let result = Run(plan: Plan(seed: seed, planted: defect.number)).run()
            guard let failure = result.failure, Run(plan: Plan(seed: seed)).run().failure == nil
            else { continue }
            say("\(defect.number) \(defect.name): seed \(seed): \(failure)")
            return true
        }
        say("\(defect.number) \(defect.name): not found in seeds \(seeds)")
        return false
    }
}

extension Run.Result {
    mutating func add(_ other: Run.Result) {
        steps += other.steps
        commits += other.commits
        reads += other.reads
        deaths += other.deaths
        powerFailures += other.powerFailures
    }

    var summary: String {
        "\(steps) calls, \(commits) commits, \(reads) versions read, \(deaths) deaths, "
            + "\(powerFailures) power failures"
            + (trace == 0 ? "" : ", trace \(String(trace, radix: 16))")
    }
}
