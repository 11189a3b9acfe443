import Dispatch
import ServerBase
import Synchronization

/// The socket of a client. Any thread may send; one thread reads.
final class Connection: Sendable {
    private struct State {
        /// Bytes that the socket has not taken yet.
        var waiting: [UInt8] = []
        var isFlushing = false
        var isOver = false
        /// Requests without a reply.
        var open = 0
        /// Whether `finish` waits until there are none.
        var isFinishing = false
    }

    let socket: UnixSocket
    private let state = Mutex(State())
    /// Signalled when `finish` need not wait any longer.
    private let settled = DispatchSemaphore(value: 0)
    /// Sends what a slow client does not take at once.
    private let queue = DispatchQueue(label: "connection")

    /// Bytes after which a client that does not read is disconnected.
    private static let patience = 8 << 20

    init(_ socket: UnixSocket) { self.socket = socket }

    // MARK: Requests

    func beginRequest() { state.withLock { $0.open += 1 } }

    /// Sends the reply to a request.
    func reply(_ line: String) {
        let isSettled = state.withLock { state in
            _ = send(line, &state)
            state.open -= 1
            return state.open == 0 && state.isFinishing
        }
        if isSettled { settled.signal() }
    }

    /// Waits until all requests have replies, and closes the socket.
    func finish() {
        let isOpen = state.withLock { state in
            state.isFinishing = true
            return state.open > 0
        }
        if isOpen { settled.wait() }
        queue.sync {}
        state.withLock { $0.isOver = true }
        socket.close()
    }

    // MARK: Sending

    /// Sends a line without waiting for the client. Returns false if the client has gone away.
    @discardableResult
    func send(_ line: String) -> Bool { state.withLock { send(line, &$0) } }

    private func send(_ line: String, _ state: inout State) -> Bool {
        if state.isOver { return false }
        var line = line + "\n"
        return line.withUTF8 { bytes in
            var sent = 0
            if state.waiting.isEmpty, !state.isFlushing {
                sent = socket.send(UnsafeRawBufferPointer(bytes), waiting: false)
                if sent < 0 { return end(&state) }
            }
            if sent == bytes.count { return true }
            state.waiting += bytes[sent...]
            if state.waiting.count > Self.patience { return end(&state) }
            if !state.isFlushing {
                state.isFlushing = true
                queue.async { self.flush() }
            }
            return true
        }
    }

    private func end(_ state: inout State) -> Bool {
        state.isOver = true
        state.waiting = []
        socket.end()
        return false
    }

    /// Waits until the socket has taken all bytes.
    private func flush() {
        while true {
            let bytes = state.withLock { state in
                defer { state.waiting = [] }
                state.isFlushing = !state.waiting.isEmpty
                return state.waiting
            }
            if bytes.isEmpty { return }
            if !socket.sendAll(bytes) { return state.withLock { _ = end(&$0) } }
        }
    }

    /// Waits until a slow client has taken what was sent to it.
    func drained() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }
}
