import Synchronization
import Testing

@testable import EngineSupport
@testable import RealmEngine

@Suite struct ThreadsTests {
    @Test func everyWorkerRunsOnce() {
        for count in [0, 1, 2, 7] {
            let seen = Mutex<[Int]>([])
            Threads.run(count) { index in seen.withLock { $0.append(index) } }
            #expect(seen.withLock { $0.sorted() } == Array(0..<max(1, count)))
        }
        #expect(Threads.processorCount >= 1)
    }

    @Test func waitersContinueInTurn() {
        final class Line: @unchecked Sendable {
            let monitor = Monitor()
            var turn = 0
            var order: [Int] = []
        }
        let line = Line()
        Threads.run(4) { index in
            for round in 0..<50 {
                let ticket = round * 4 + index
                line.monitor.wait { line.turn == ticket }
                line.order.append(ticket)
                line.monitor.signal { line.turn += 1 }
            }
        }
        #expect(line.order == Array(0..<200))
    }
}
