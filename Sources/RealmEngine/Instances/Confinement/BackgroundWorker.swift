/// Serial worker of the process for work that no caller waits for. Its thread exists only while
/// there is work. Free to cross threads.
enum BackgroundWorker {
    typealias Work = @Sendable () -> Void

    private final class State: @unchecked Sendable {
        let monitor = Monitor()
        var works: [Work] = []
        var hasThread = false
    }

    private static let state = State()

    /// Runs `work` later on the worker's thread, or at once on the calling thread if no thread can
    /// be created.
    static func run(_ work: @escaping Work) {
        var mustStart = false
        state.monitor.locked {
            state.works.append(work)
            mustStart = !state.hasThread
            state.hasThread = true
        }
        if mustStart, !Threads.detachReusingThread(runAll) { runAll() }
    }

    @Sendable private static func runAll() {
        while true {
            let works = state.monitor.locked {
                defer { state.works = [] }
                state.hasThread = !state.works.isEmpty
                return state.works
            }
            if works.isEmpty { return }
            for work in works { work() }
        }
    }
}
