import Glibc
import RealmEngine
import SimulatedPlatform

// simulator SEED [COUNT] [--planted N] [--trace]: runs seeds; see Testing.md.

sim_make_repeatable(CommandLine.unsafeArgv)
var numbers: [UInt64] = []
var planted: UInt32 = 0
var traces = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--planted": planted = arguments.popFirst().flatMap { UInt32($0) } ?? 0
    case "--trace": traces = true
    default: numbers += UInt64(argument).map { [$0] } ?? []
    }
}
let first = numbers.first ?? 1
let count = numbers.count > 1 ? numbers[1] : 1
sim_create()
sim_bind(Int32(first % 2))
Run.prepare()
var steps = 0
for seed in first..<first + count {
    let result = Run(plan: Plan(seed: seed, planted: planted)).run()
    steps += result.steps
    if traces || result.failure != nil {
        print(
            seed, result.failure ?? "ok", "steps", result.steps, "commits", result.commits, "reads",
            result.reads, "deaths", result.deaths, "power", result.powerFailures, "trace",
            String(result.trace, radix: 16), "decisions", result.decisions.count)
        fflush(nil)
    }
    if traces, count == 1 { sim_print_calls(200) }
}
print(count, "seeds", steps, "calls")
