import Foundation

/// Prevents the compiler from removing the computation of an unused value.
@inline(never) func use<T>(_: T) {}

private func nanoseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// CPU time of the process so far, in nanoseconds.
func processorTime() -> Double { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

/// The best of five runs, in nanoseconds for each of the `times` operations that `body` performs
/// with the result of `prepare`, whose time is not counted.
func best<T>(
    _ times: Int, after prepare: () throws -> T, _ body: (T) throws -> Void
) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<5 {
        let prepared = try prepare()
        let began = nanoseconds(CLOCK_MONOTONIC)
        try body(prepared)
        best = min(best, (nanoseconds(CLOCK_MONOTONIC) - began) / Double(times))
    }
    return best
}

func best(_ times: Int, _ body: () throws -> Void) rethrows -> Double {
    let nothing = {}
    return try best(times, after: nothing) { try body() }
}

func line(_ name: String, _ value: Double, _ unit: String = "ns") {
    let figure = String(format: value < 100 ? "%.1f" : "%.0f", value)
    print(name.padding(toLength: 44, withPad: " ", startingAt: 0), figure, unit)
}

/// Private memory of the process in bytes.
func memory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst(5).first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
