import CRealmSystem
import Glibc

/// Waits at notifier FIFOs for what is written into them, without reading it: a byte that is read is
/// an edge that other processes do not see (storage format 6.11). Free to cross threads.
final class SignalWaiter: Sendable {
    private let poll: Int32
    /// Becomes readable when a wait is to end.
    private let bell: Int32
    private static let bellNumber = UInt64.max

    /// Nil when the system has no more descriptors.
    init?() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { return nil }
        bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard bell >= 0 else {
            close(poll)
            return nil
        }
        _ = add(bell, Self.bellNumber)
    }

    deinit {
        close(poll)
        close(bell)
    }

    /// Waits at `descriptor` too, which the caller keeps open until it is removed; what is heard of
    /// it is told as `number`.
    func add(_ descriptor: Int32, _ number: UInt64) -> Bool {
        var event = epoll_event(
            events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: number))
        return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    func remove(_ descriptor: Int32) { epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil) }

    /// Ends a wait that is under way, or the next one.
    func ring() { eventfd_write(bell, 1) }

    /// What was heard of within so many microseconds, nil for any time: nothing when somebody rang; nil
    /// when they passed.
    func wait(microseconds: Int?) -> [UInt64]? {
        if let microseconds { sleep(atMost: microseconds) }
        return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 16) { events in
            let count = epoll_wait(
                poll, events.baseAddress, Int32(events.count), microseconds == nil ? -1 : 0)
            guard count > 0 else { return nil }
            return events[..<Int(count)].compactMap { event in
                guard event.data.u64 == Self.bellNumber else { return event.data.u64 }
                var rung: eventfd_t = 0
                eventfd_read(bell, &rung)
                return nil
            }
        }
    }

    /// Until there is something to hear. The set itself is waited at by milliseconds only.
    private func sleep(atMost microseconds: Int) {
        realm_wait_readable(poll, microseconds)
    }
}

/// Hears of the commits of one database, where their announcements are made: the FIFO is not created.
/// Free to cross threads.
final class CommitFIFOReader: Sendable {
    private let path: String
    private let open = LockedValue<(waiter: SignalWaiter, descriptor: Int32)?>(nil)

    init(_ place: DatabasePath) { path = place.note }

    deinit { open.withLock { if let open = $0 { close(open.descriptor) } } }

    /// Sleeps until there was an announcement, at most so long; longer ago than this began it may have
    /// been, too.
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
