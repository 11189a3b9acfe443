import Glibc
import RealmEngine
import SessionSupport

// A participant of a session that tests start, stop and kill:
//
//     session-peer COMMAND FILE [COUNT [SECONDS]]
//
// With COUNT 0, runs until killed or until SECONDS have passed. Every line is printed at once.

func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    write(1, bytes, bytes.count)
}

func fail(_ text: String) -> Never {
    say("wrong: \(text)")
    exit(1)
}

func fail(_ error: RealmError) -> Never {
    say("error \(error.kind.rawValue) \(error.reason): \(error.message)")
    exit(error.kind == .busy ? 7 : 6)
}

/// The asynchronous transactions of one queue.
final class GroupFlow: @unchecked Sendable {
    let queue = WorkQueue("group")
    let counters: Counters
    var instance: Instance?
    private let monitor = Monitor()
    private var done = 0

    init(_ counters: Counters) { self.counters = counters }

    func run(_ body: @escaping @Sendable () throws(RealmError) -> Void) {
        queue.async { do throws(RealmError) { try body() } catch { fail(error) } }
    }

    /// Waits until fewer than `room` of the `asked` transactions are not yet durable.
    func waitForRoom(_ asked: Int, room: Int = 60) { monitor.wait { asked - done < room } }

    func request(_ number: Int) throws(RealmError) {
        guard let instance else { return }
        if number % 5 == 0 {
            try instance.writeAsync(allowGrouping: true) { [self] transaction in
                add(7, transaction)
                instance.cancelWrite()
            }
        }
        var version: UInt64 = 0
        try instance.writeAsync(allowGrouping: number % 40 != 0) { [self] transaction in
            add(1, transaction)
            version = transaction.version
        } onComplete: { [self] error in
            if let error { fail(error) }
            say("made \(version)")
            monitor.signal { done += 1 }
        }
    }

    private func add(_ amount: Int64, _ transaction: WriteTransaction) {
        do throws(RealmError) { try counters.add(amount, in: transaction) } catch { fail(error) }
    }
}

struct Peer {
    let path: String
    let count: Int
    let end: ContinuousClock.Instant?

    func goesOn(_ done: Int) -> Bool {
        if let end, ContinuousClock.now >= end { return false }
        return count == 0 || done < count
    }

    private var options: WriteSession.Options {
        var options = WriteSession.Options()
        options.isDurable = getenv("SESSION_PEER_DURABLE") != nil
        options.key = key
        return options
    }

    /// The key from SESSION_PEER_KEY, which is a byte that is repeated. Nil if it is not set or not
    /// a byte.
    private var key: EncryptionKey? {
        guard let text = getenv("SESSION_PEER_KEY"), let byte = UInt8(String(cString: text)) else {
            return nil
        }
        return try? [UInt8](repeating: byte, count: EncryptionKey.size).withUnsafeBytes {
            try EncryptionKey($0)
        }
    }

    /// Commits transactions and prints their versions.
    func write() throws(RealmError) {
        let counters = try Counters(opening: path, options)
        var done = 0
        while goesOn(done) {
            let version = try counters.add(1)
            say("made \(version)")
            done += 1
        }
        say("did \(done)")
    }

    /// Commits transactions that extend the file.
    func grow() throws(RealmError) {
        let counters = try Counters(opening: path, options)
        var done = 0
        while goesOn(done) {
            say("made \(try counters.add(1, growingBy: 4 << 20))")
            done += 1
        }
    }

    /// Commits asynchronous transactions that may share their syncs, and prints versions that are
    /// durable. Cancels some transactions half-way.
    func group() throws(RealmError) {
        let flow = GroupFlow(try Counters(opening: path, options))
        var configuration = Instance.Configuration(path: path)
        configuration.isDurable = options.isDurable
        let place = flow.queue.confinement
        flow.run { [configuration] () throws(RealmError) in
            flow.instance = try Instance.open(configuration, on: place)
        }
        var asked = 0
        while goesOn(asked) {
            flow.waitForRoom(asked)
            asked += 1
            flow.run { [asked] () throws(RealmError) in try flow.request(asked) }
        }
        flow.waitForRoom(asked, room: 1)
        flow.run { flow.instance = nil }
        flow.queue.close()
        say("did \(asked)")
    }

    /// Reads every new version and reports inconsistent ones.
    func read() throws(RealmError) {
        guard let database = try Database(joiningLive: path) else {
            return say("nobody is there")
        }
        var done = 0
        var last: UInt64 = 0
        while goesOn(done) {
            let snapshot = database.snapshot()
            guard let sum = try Counters.sum(snapshot) else {
                fail("a part of a transaction in version \(snapshot.version)")
            }
            guard UInt64(sum) + 2 == snapshot.version else {
                fail("sum \(sum) in version \(snapshot.version)")
            }
            guard snapshot.version >= last else {
                fail("version \(snapshot.version) after \(last)")
            }
            if snapshot.version != last { done += 1 }
            last = snapshot.version
            try database.refresh()
        }
        say("did \(done)")
    }

    /// Pins one version until killed.
    func hold() throws(RealmError) {
        let database = try Database.open(path, databaseOptions)
        let snapshot = database.snapshot()
        say("holds \(snapshot.version)")
        while true { pause() }
    }

    /// Reads every page of all binaries. Prints their size and the private memory of the process
    /// after reading. Pins the version until killed.
    func scan() throws(RealmError) {
        let snapshot = try Database.open(path, databaseOptions).snapshot()
        var count = 0
        for info in snapshot.schema.tables {
            let scan = snapshot.table(info).scan(columns: Array(info.columns.indices))
            while try scan.next() {
                for row in 0..<scan.count {
                    for column in info.columns.indices {
                        let value = try scan.value(row: row, column: column)
                        if case .binary(let bytes) = value {
                            var at = 0
                            while at < bytes.count {
                                if bytes[at] != 0x62 { fail("byte \(at) is \(bytes[at])") }
                                at += 1024
                            }
                            count += bytes.count
                        }
                    }
                }
            }
        }
        say("read \(count) anonymous \(ownMemory() ?? -1) kB")
        withExtendedLifetime(snapshot) { while true { pause() } }
    }

    /// Returns the private memory of this process in kB.
    private func ownMemory() -> Int? {
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            guard text.hasPrefix("RssAnon:") else { continue }
            return text.split { !$0.isNumber }.first.flatMap { Int($0) }
        }
        return nil
    }

    /// Keeps a write transaction open until killed.
    func turn() throws(RealmError) {
        let counters = try Counters(opening: path, options)
        let transaction = try counters.session.begin()
        say("writes \(transaction.version)")
        while true { pause() }
    }

    /// Measures the cost of pinning and opening. To see the system calls of reading, trace the
    /// process between the lines `reading begins` and `reading ends`.
    func measure() throws(RealmError) {
        let database = try Database.open(path, databaseOptions)
        let clock = ContinuousClock()
        for round in 0..<3 {
            let n = 200_000
            let pins = clock.measure { for _ in 0..<n { _ = database.snapshot() } }
            let opening = try measured(clock, 20_000) { () throws(RealmError) in
                _ = try Database.open(path, databaseOptions)
            }
            let snapshot = database.snapshot()
            let reading = try measured(clock, 2000) { () throws(RealmError) in
                _ = try Counters.sum(snapshot)
            }
            say("round \(round): pin and unpin \(pins / n), open again \(opening)")
            say("  read four numbers \(reading)")
        }
        var configuration = Instance.Configuration(path: path)
        configuration.isDurable = false
        let instance = try Instance.open(configuration)
        _ = try Counters.sum(instance.snapshot())
        say("reading begins")
        for _ in 0..<1000 { _ = try Counters.sum(instance.snapshot()) }
        say("reading ends")
    }

    private func measured(
        _ clock: ContinuousClock, _ n: Int, _ body: () throws(RealmError) -> Void
    ) throws(RealmError) -> Duration {
        let began = clock.now
        for _ in 0..<n { try body() }
        return began.duration(to: clock.now) / n
    }

    private var databaseOptions: Database.Options {
        var options = Database.Options()
        options.isDurable = false
        return options
    }

    func lookWithoutSession() throws(RealmError) {
        let sum = try Counters.sum(Database(immutable: path).snapshot())
        say("sum \(sum.map(String.init) ?? "none")")
    }

    /// Reads as a read tool does, joining a session if there is one.
    func join() throws(RealmError) {
        let live = try Database(joiningLive: path)
        say(live == nil ? "nobody is there" : "joined \(live!.version)")
    }

    /// Forks. The child is not a participant of the session until it opens the file itself.
    func forked() throws(RealmError) {
        typealias Fork = @convention(c) () -> Int32
        let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
        var counters: Counters? = try Counters(opening: path, options)
        let child = fork()
        if child == 0 {
            var refused = 0
            do throws(RealmError) { try counters!.add(1) } catch {
                if error.reason == "forked" { refused += 1 }
            }
            // The parent's pinned version stays readable.
            guard try Counters.sum(counters!.database.snapshot()) == 0 else { _exit(2) }
            // The child can open the file while it still has the inherited session.
            let own = try Counters(opening: path, options)
            try own.add(1)
            counters = nil
            _exit(refused == 1 ? 0 : 3)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        guard status == 0 else { fail("the copy ended with \(status)") }
        try counters!.add(1)
        let participants = LockFileFacts(databasePath: path)?.session?.participants
        // The child ended without leaving the session, like a process that was killed.
        say("sum \(try Counters.sum(counters!.database.snapshot()) ?? -1) of \(participants ?? -1)")
    }

    func run(_ command: String) throws(RealmError) {
        switch command {
        case "write": try write()
        case "grow": try grow()
        case "condition": ForeignLocks(path).waitForTurn()
        case "broadcast": ForeignLocks(path).broadcast()
        case "group": try group()
        case "read": try read()
        case "hold": try hold()
        case "turn": try turn()
        case "scan": try scan()
        case "measure": try measure()
        case "look": try lookWithoutSession()
        case "join": try join()
        case "fork": try forked()
        default: fail("no command \(command)")
        }
    }
}

// Tests that run as root ask for another user, who is subject to file permissions.
if let user = getenv("SESSION_PEER_USER").flatMap({ uid_t(String(cString: $0)) }) {
    guard setgid(user) == 0, setuid(user) == 0 else { fail("cannot become user \(user)") }
}
let words = CommandLine.arguments
guard words.count >= 3 else { fail("session-peer COMMAND FILE [COUNT [SECONDS]]") }
let seconds = words.count > 4 ? Int(words[4]) : nil
let peer = Peer(
    path: words[2], count: words.count > 3 ? Int(words[3]) ?? 0 : 0,
    end: seconds.map { .now.advanced(by: .seconds($0)) })
do throws(RealmError) { try peer.run(words[1]) } catch { fail(error) }
