import Synchronization

/// Wakes a task that waits for changes. May be used on any thread.
final class ChangeSignal: Sendable {
    private struct State {
        var isSet = false
        var isEnded = false
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether `end` was called: no further changes follow.
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Wakes the waiting task. If no task waits, the next call of `wait` returns at once.
    func set() {
        wake { $0.isSet = true }
    }

    /// Wakes the waiting task and lets all later calls of `wait` return at once. Called when no
    /// further changes follow.
    func end() {
        wake { $0.isEnded = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Suspends the task until `set` or `end` is called, or the task is cancelled. Resumes on
    /// `actor`.
    func wait(isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation(isolation: actor) { waiter in
                let isWoken = state.withLock { state in
                    if state.isSet || state.isEnded {
                        state.isSet = false
                        return true
                    }
                    state.waiter = waiter
                    return false
                }
                if isWoken { waiter.resume() }
            }
        } onCancel: {
            end()
        }
        state.withLock { $0.isSet = false }
    }
}
