import CRealmSystem
import Glibc

/// Waits until notifier FIFOs become readable. Does not read from them: if a byte were read, other
/// processes would not see the change from empty to readable (storage format 6.11). Free to cross
/// threads.
final class SignalWaiter: Sendable {
    private let poll: Int32
    /// An eventfd that ends a wait when it becomes readable.
    private let wakeDescriptor: Int32
    private static let wakeToken = UInt64.max

    /// Returns nil if the system has no file descriptors left.
    init?() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { return nil }
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            close(poll)
            return nil
        }
        _ = add(wakeDescriptor, Self.wakeToken)
    }

    deinit {
        close(poll)
        close(wakeDescriptor)
    }

    /// Adds `descriptor`, which must remain open until it is removed. `wait` reports its events as
    /// `number`. Returns false on failure.
    func add(_ descriptor: Int32, _ number: UInt64) -> Bool {
        var event = epoll_event(
            events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: number))
        return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    func remove(_ descriptor: Int32) { epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil) }

    /// Ends the current call of `wait`, or the next one if there is none.
    func wake() { eventfd_write(wakeDescriptor, 1) }

    /// Waits for events, for ever if `microseconds` is nil. Returns the numbers of the descriptors
    /// with events, an empty array if woken by `wake`, nil on timeout.
    func wait(microseconds: Int?) -> [UInt64]? {
        if let microseconds { sleep(atMost: microseconds) }
        return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 16) { events in
            let count = epoll_wait(
                poll, events.baseAddress, Int32(events.count), microseconds == nil ? -1 : 0)
            guard count > 0 else { return nil }
            return events[..<Int(count)].compactMap { event in
                guard event.data.u64 == Self.wakeToken else { return event.data.u64 }
                var rung: eventfd_t = 0
                eventfd_read(wakeDescriptor, &rung)
                return nil
            }
        }
    }

    /// Waits until the epoll descriptor is readable. Used in place of a timeout of `epoll_wait`,
    /// which is in milliseconds.
    private func sleep(atMost microseconds: Int) {
        realm_wait_readable(poll, microseconds)
    }
}

/// Waits for announced commits of one database, at an existing FIFO. Free to cross threads.
final class CommitFIFOReader: Sendable {
    private let path: String
    private let open = LockedValue<(waiter: SignalWaiter, descriptor: Int32)?>(nil)

    init(_ place: DatabasePath) { path = place.note }

    deinit { open.withLock { if let open = $0 { close(open.descriptor) } } }

    /// Sleeps until a commit is announced, but at most `milliseconds`. Returns at once if a commit
    /// was announced since the last call. If there is no FIFO, sleeps for the whole time.
    func listen(milliseconds: Int32) {
        guard let waiter = found() else { return Deadline.sleep(milliseconds: Int(milliseconds)) }
        _ = waiter.wait(microseconds: Int(milliseconds) * 1000)
    }

    private func found() -> SignalWaiter? {
        open.withLock { open in
            if let open { return open.waiter }
            let descriptor = CommitNotifier.open(path)
            guard descriptor >= 0 else { return nil }
            guard let waiter = SignalWaiter(), waiter.add(descriptor, 0) else {
                close(descriptor)
                return nil
            }
            open = (waiter, descriptor)
            return waiter
        }
    }
}
