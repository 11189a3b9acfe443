import Synchronization

/// Carries out the asynchronous write transactions of one database in this process.
///
/// A thread of its own waits for the writer's turn and for syncs, and is one as long as there is
/// something to do; blocks run where their instances belong, completions too unless they may run anywhere.
/// Free to cross threads; one mutex guards the schedule, and nothing is called with it held.
final class CommitQueue: @unchecked Sendable {
    typealias ID = CommitSchedule.ID

    /// What an instance asked for.
    private struct Request {
        let instance: Instance
        let block: () -> Void
        /// For a request whose turn never came.
        let onFailure: ((RealmError?) -> Void)?
    }

    private struct Completion {
        let instance: Instance
        /// Called by the thread that knows first, not where the instance belongs.
        let isAnywhere: Bool
        var body: ((RealmError?) -> Void)?
    }

    private let database: Database
    private let session: WriteSession
    private let patience: WriteSession.LockTimeout
    private let monitor = Monitor()
    private var schedule: CommitSchedule
    private var requests: [ID: Request] = [:]
    private var completions: [ID: Completion] = [:]
    private var lastID: ID = 0
    /// For the thread of the queue.
    private var jobs: [CommitSchedule.Action] = []
    private var hasThread = false
    /// The thread of the queue has the writer's turn.
    private var hasTurn = false
    /// Set while a group ends: what its commits are told.
    private var failure: RealmError?

    private convenience init(
        _ database: Database, _ patience: WriteSession.LockTimeout
    ) throws(RealmError) {
        var options = WriteSession.Options()
        options.isDurable = database.session?.file.durability != 2
        options.key = database.encryptionKey
        self.init(try WriteSession(on: database, options: options), patience)
    }

    init(_ session: WriteSession, _ patience: WriteSession.LockTimeout = .forever) {
        self.session = session
        self.patience = patience
        database = session.database
        schedule = CommitSchedule()
    }

    private static let queues = LockedValue<[ObjectIdentifier: Weak<CommitQueue>]>([:])
    /// Requests and commits there have been in this process.
    private static let begun = Atomic<Int>(0)
    /// Guards the count of those that are not done.
    private let unfinished = Monitor()
    private var unfinishedCount = 0

    /// The queue of a database, made on first use.
    ///
    /// - Parameter patience: how long one made now waits for its turns.
    static func queue(
        of database: Database, _ patience: WriteSession.LockTimeout = .forever
    ) throws(RealmError) -> CommitQueue {
        let key = ObjectIdentifier(database)
        let result = queues.withLock { queues -> Result<CommitQueue, RealmError> in
            if let known = queues[key]?.object, known.database === database {
                return .success(known)
            }
            return Result { () throws(RealmError) in
                let fresh = try CommitQueue(database, patience)
                queues[key] = Weak(fresh)
                return fresh
            }
        }
        return try result.get()
    }

    /// Waits until nothing asynchronous is under way in this process (CD-21). Not to be called where
    /// an instance with pending writes belongs.
    static func waitForAll() {
        var seen: Int
        repeat {
            // What one queue did may have begun something in another.
            seen = begun.load(ordering: .acquiring)
            for queue in queues.withLock({ $0.values.compactMap(\.object) }) { queue.wait() }
        } while seen != begun.load(ordering: .acquiring)
    }

    /// Waits until nothing asynchronous is under way in this queue.
    func wait() { unfinished.wait { unfinishedCount == 0 } }

    private func begin(_ instance: Instance) {
        instance.pendingCount.add(1, ordering: .relaxed)
        unfinished.signal { unfinishedCount += 1 }
        Self.begun.add(1, ordering: .acquiringAndReleasing)
    }

    private func finish(_ instance: Instance) {
        instance.pendingCount.subtract(1, ordering: .relaxed)
        unfinished.signal { unfinishedCount -= 1 }
    }

    /// What went to the file so far; exact when nothing is under way.
    var traffic: WriteSession.Traffic { session.traffic }

    // MARK: Requests

    func request(
        _ instance: Instance, onFailure: ((RealmError?) -> Void)?, _ block: @escaping () -> Void
    ) -> ID {
        begin(instance)
        let (id, actions) = monitor.locked {
            lastID &+= 1
            requests[lastID] = Request(instance: instance, block: block, onFailure: onFailure)
            return (lastID, schedule.request(lastID))
        }
        perform(actions)
        return id
    }

    /// Takes back a request that has not begun, or the completion of a commit.
    func cancel(_ id: ID) {
        let (request, actions) = monitor.locked { () -> (Request?, [CommitSchedule.Action]) in
            completions[id]?.body = nil
            let (isCancelled, actions) = schedule.cancel(id)
            return (isCancelled ? requests.removeValue(forKey: id) : nil, actions)
        }
        perform(actions)
        if let request { finish(request.instance) }
    }

    /// A commit is to be completed after the flush that makes it durable.
    func addCompletion(
        _ instance: Instance, isAnywhere: Bool, _ body: ((RealmError?) -> Void)?
    ) -> ID {
        begin(instance)
        return monitor.locked {
            lastID &+= 1
            completions[lastID] = Completion(
                instance: instance, isAnywhere: isAnywhere, body: body)
            return lastID
        }
    }

    /// A completion that does not depend on a flush.
    func complete(_ id: ID, _ error: RealmError?) { complete([id], error) }

    // MARK: Synchronous writers

    /// Keeps the queue from taking turns, or from waiting for a block that cannot begin.
    func hold() { perform(monitor.locked { schedule.hold() }) }
    func unhold() { perform(monitor.locked { schedule.unhold() }) }

    /// Waits until no commit waits for its flush; with the queue held.
    func waitForCommits() { monitor.wait { !schedule.isBusy && !hasTurn } }

    // MARK: Carrying out

    /// Does what can be done here; the rest goes to the queue's thread.
    private func perform(_ actions: [CommitSchedule.Action]) {
        for action in actions {
            switch action {
            case .run(let id): handOut(id)
            case .complete(let ids): complete(ids, monitor.locked { failure })
            case .fail(let ids): fail(ids)
            case .acquire, .flush, .release: enqueue(action)
            }
        }
    }

    private func enqueue(_ action: CommitSchedule.Action) {
        var mustStart = false
        monitor.signal {
            jobs.append(action)
            mustStart = !hasThread
            hasThread = true
        }
        if mustStart, !Threads.detachOften({ self.work() }) {
            Misuse.trap("no thread for asynchronous writes")
        }
    }

    /// The thread of the queue. It must not end while it has the turn, which belongs to it.
    private func work() {
        while true {
            monitor.wait { !jobs.isEmpty || !(hasTurn || schedule.isBusy) }
            var isDone = false
            let job = monitor.locked { () -> CommitSchedule.Action? in
                if !jobs.isEmpty { return jobs.removeFirst() }
                isDone = !(hasTurn || schedule.isBusy)
                if isDone { hasThread = false }
                return nil
            }
            if isDone { return }
            if let job { carryOut(job) }
        }
    }

    private func carryOut(_ job: CommitSchedule.Action) {
        switch job {
        case .acquire:
            do throws(RealmError) {
                try session.openGroup(patience)
                perform(
                    monitor.locked {
                        failure = nil
                        hasTurn = true
                        return schedule.acquired()
                    })
            } catch {
                perform(
                    monitor.locked {
                        failure = error
                        return schedule.refused()
                    })
            }
        case .flush:
            var problem: RealmError?
            do throws(RealmError) { try session.flushGroup() } catch { problem = error }
            var actions: [CommitSchedule.Action] = []
            monitor.signal {
                failure = problem
                actions = schedule.flushed()
            }
            // Completions must not come before the turn is free: they may want it.
            for action in actions where action == .release { carryOut(action) }
            perform(actions.filter { $0 != .release })
        case .release:
            session.closeGroup()
            monitor.signal { hasTurn = false }
        default: return
        }
    }

    /// Has the block of a request run where it belongs.
    private func handOut(_ id: ID) {
        guard let instance = monitor.locked({ requests[id]?.instance }) else { return }
        let box = Unchecked(instance)
        let isDelivered = instance.confinement.post { [self] in
            _ = box
            runBlocks(from: id)
        }
        if !isDelivered { drop(id) }
    }

    /// Nothing runs any more where the block belongs: the next one has the turn.
    private func drop(_ id: ID) {
        let (request, actions) = monitor.locked { () -> (Request?, [CommitSchedule.Action]) in
            guard schedule.began(id) else { return (nil, []) }
            return (requests.removeValue(forKey: id), schedule.ended(id, .rolledBack))
        }
        perform(actions)
        if let request { finish(request.instance) }
    }

    /// Runs the block of a request, and those after it that belong here too.
    private func runBlocks(from first: ID) {
        var next: ID? = first
        var left = 64
        while let id = next {
            next = nil
            let request = monitor.locked {
                schedule.began(id) ? requests.removeValue(forKey: id) : nil
            }
            guard let request else { return }
            var ending = CommitSchedule.Ending.rolledBack
            do throws(RealmError) {
                ending = try request.instance.runAsyncBlock(session, request.block)
            } catch { request.instance.runCompletion(request.onFailure, error) }
            if case .committed(let commit, _) = ending, session.isGroupLarge {
                ending = .committed(commit, allowsGrouping: false)
            }
            left -= 1
            for action in monitor.locked({ schedule.ended(id, ending) }) {
                if case .run(let other) = action, left > 0,
                    monitor.locked({ requests[other]?.instance.confinement })
                        === request.instance.confinement
                {
                    next = other
                } else {
                    perform([action])
                }
            }
            finish(request.instance)
        }
    }

    private func complete(_ ids: [ID], _ error: RealmError?) {
        for id in ids { completeHere(id)?(error) }
        var rest = monitor.locked {
            ids.compactMap { id in completions[id].map { (id: id, instance: $0.instance) } }
        }[...]
        // Those that follow each other at one place go there together.
        while let place = rest.first?.instance.confinement {
            let run = rest.prefix { $0.instance.confinement === place }
            rest = rest.dropFirst(run.count)
            let box = Unchecked(run)
            let work: Confinement.Work = { [self] in
                for (id, instance) in box.value {
                    instance.runCompletion(takeCompletion(id)?.body, error)
                    finish(instance)
                }
            }
            if !place.isDeliverable {
                work()
            } else if !place.post(work) {
                // Nobody is left to be told.
                for (id, instance) in run {
                    _ = takeCompletion(id)
                    finish(instance)
                }
            }
        }
    }

    /// What to call on this thread; the instance is done with the commit before.
    private func completeHere(_ id: ID) -> ((RealmError?) -> Void)? {
        let completion = monitor.locked {
            completions[id]?.isAnywhere == true ? completions.removeValue(forKey: id) : nil
        }
        if let completion { finish(completion.instance) }
        return completion?.body
    }

    private func takeCompletion(_ id: ID) -> Completion? {
        monitor.locked { completions.removeValue(forKey: id) }
    }

    private func fail(_ ids: [ID]) {
        let error = monitor.locked { failure }
        for id in ids {
            guard let request = monitor.locked({ requests.removeValue(forKey: id) }) else {
                continue
            }
            let box = Unchecked(request)
            let isDelivered = request.instance.confinement.post { [self] in
                let request = box.value
                request.instance.runCompletion(request.onFailure, error)
                finish(request.instance)
            }
            if !isDelivered { finish(request.instance) }
        }
    }
}

/// Carries a confined value to where it belongs.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
