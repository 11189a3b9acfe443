import Testing

@testable import EngineSupport
@testable import RealmEngine

/// Explores all orders in which three participants can use a version list while two versions are
/// made, with each participant dying at any moment, including inside an operation.
@Suite struct VersionListExplorerTests {
    @Test(arguments: [
        [Program.writer, .writer, .reader], [.writer, .reader, .reader],
        [.writerTwice, .reader, .freezer],
    ])
    func everyOrderOfStepsKeepsTheVersionListValid(_ programs: [Program]) throws {
        let explorer = try Explorer(programs)
        try explorer.run()
        print("\(programs): \(explorer.states) states, \(explorer.deaths) deaths")
        #expect(explorer.states > 500 && explorer.deaths > 200)
    }
}

/// The operations of a participant, in order.
enum Program: Sendable {
    case writer, writerTwice, reader, freezer

    enum Step {
        case lockWrite, pin, purge, add, unlockWrite, freeze, release
    }

    private static let write: [Step] = [.lockWrite, .pin, .purge, .add, .release, .unlockWrite]

    var steps: [Step] {
        switch self {
        case .writer: Self.write
        case .writerTwice: Self.write + Self.write
        // Pins the newer version before it releases the older one.
        case .reader: [.pin, .pin, .release, .release]
        case .freezer: [.pin, .freeze, .release, .release]
        }
    }
}

/// Depth-first search over all states, with the real version list in private memory.
private final class Explorer {
    private let memory: MappedLockFile
    private let list: VersionList
    private let programs: [Program]
    private var seen: Set<State> = []
    private(set) var deaths = 0

    var states: Int { seen.count }

    private struct Participant: Hashable {
        var step = 0
        var isDead = false
        var pins: [PinnedVersion] = []
    }

    private struct PinnedVersion: Hashable {
        let index: Int
        let version: UInt64
        let kind: Int
    }

    private struct State: Hashable {
        var bytes: [UInt8]
        var participants: [Participant]
        var writer: Int?
    }

    private static let used = LockFile.size(entries: 6)

    init(_ programs: [Program]) throws {
        self.programs = programs
        var bytes = [UInt8](repeating: 0, count: LockFile.initialSize)
        bytes.withUnsafeMutableBytes {
            LockFile.initialize($0.baseAddress!, durability: 0, historyType: 2, historySchema: 1)
        }
        memory = try MappedLockFile(copying: bytes)
        list = VersionList(file: LockFile(memory: memory))
        try list.reset(version: 1, top: Ref(Self.top(1)), fileSize: Self.size(1))
    }

    private static func top(_ version: UInt64) -> UInt64 { version * 4096 }
    private static func size(_ version: UInt64) -> UInt64 { version * 4096 + 4096 }

    func run() throws {
        try visit(
            State(
                bytes: Self.bytes(memory),
                participants: programs.map { _ in Participant() }, writer: nil))
    }

    private static func bytes(_ memory: MappedLockFile) -> [UInt8] {
        // The bytes after the mutexes, whose correctness is assumed.
        [UInt8](UnsafeRawBufferPointer(start: memory.base + 432, count: used - 432))
    }

    private func restore(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes {
            (memory.base + 432).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
        }
    }

    private func visit(_ state: State) throws {
        guard seen.insert(state).inserted else { return }
        restore(state.bytes)
        try check(state)
        for i in programs.indices where !state.participants[i].isDead {
            guard state.participants[i].step < programs[i].steps.count else { continue }
            try die(state, i)
            try act(state, i)
        }
    }

    /// Participant `i` dies before its next operation.
    private func die(_ state: State, _ i: Int) throws {
        var next = state
        next.participants[i].isDead = true
        // The write mutex is robust, so another writer gets it.
        if next.writer == i { next.writer = nil }
        deaths += 1
        try visit(next)
    }

    /// The memory at every failpoint of an operation.
    private final class Images: @unchecked Sendable {
        let memory: MappedLockFile
        var images: [[UInt8]] = []
        init(_ memory: MappedLockFile) { self.memory = memory }
        func add() { images.append(Explorer.bytes(memory)) }
    }

    /// Participant `i` performs its next operation, or dies at a failpoint in it.
    private func act(_ state: State, _ i: Int) throws {
        let step = programs[i].steps[state.participants[i].step]
        if step == .lockWrite, state.writer != nil { return }
        restore(state.bytes)
        var next = state
        next.participants[i].step += 1
        let images = Images(memory)
        #if DEBUG
            let observer: @Sendable (Failpoint) -> Void = { _ in images.add() }
            try Failpoint.$observer.withValue(observer) { try perform(step, &next, i) }
        #else
            try perform(step, &next, i)
        #endif
        next.bytes = Self.bytes(memory)
        try visit(next)
        for image in images.images {
            var dead = state
            dead.bytes = image
            dead.participants[i].isDead = true
            // It dies after the pin was released.
            if step == .release { dead.participants[i].pins.removeFirst() }
            if dead.writer == i { dead.writer = nil }
            deaths += 1
            try visit(dead)
        }
    }

    private func perform(_ step: Program.Step, _ state: inout State, _ i: Int) throws {
        switch step {
        case .lockWrite: state.writer = i
        case .unlockWrite: state.writer = nil
        case .pin: state.participants[i].pins.append(Self.held(try list.pinNewest(.live)))
        case .freeze:
            let pin = Self.pin(state.participants[i].pins[0])
            state.participants[i].pins.append(Self.held(try list.pin(again: pin, .frozen)))
        case .release: list.release(Self.pin(state.participants[i].pins.removeFirst()))
        case .purge: try purge(state)
        case .add:
            let newest = list.file.entry(Int(list.file.newest)).version
            try list.add(
                version: newest + 1, top: Ref(Self.top(newest + 1)),
                fileSize: Self.size(newest + 1))
            #expect(list.file.entry(Int(list.file.newest)).version == newest + 1)
        }
    }

    private func purge(_ state: State) throws {
        let reachable = try list.purge()
        let pins = state.participants.flatMap(\.pins)
        let oldest = pins.map(\.version).min() ?? .max
        let oldestLive = pins.filter { $0.kind == 0 }.map(\.version).min() ?? .max
        #expect(reachable.oldest <= oldest && reachable.oldestLive <= oldestLive)
        #expect(reachable.count >= Set(pins.map(\.version)).count)
    }

    private static func held(_ pin: VersionList.Pin) -> PinnedVersion {
        #expect(pin.top.raw == top(pin.version) && pin.fileSize == size(pin.version))
        return PinnedVersion(index: pin.index, version: pin.version, kind: pin.kind.rawValue)
    }

    private static func pin(_ held: PinnedVersion) -> VersionList.Pin {
        VersionList.Pin(
            index: held.index, version: held.version, top: Ref(top(held.version)),
            fileSize: size(held.version), kind: PinKind(rawValue: held.kind)!)
    }

    /// Checks the invariants of every reachable state.
    private func check(_ state: State) throws {
        let file = list.file
        let newest = file.entry(Int(file.newest))
        #expect(newest.version > 0 && newest.top == Self.top(newest.version))
        var versions: Set<UInt64> = []
        for i in 0..<6 {
            let entry = file.entry(i)
            // An entry that was being added when its writer died does not count yet.
            if entry.version == 0 || (i == file.allocating && i != file.newest) { continue }
            #expect(versions.insert(entry.version).inserted)
            #expect(entry.version <= newest.version)
        }
        for pin in state.participants.flatMap(\.pins) {
            let entry = file.entry(pin.index)
            #expect(entry.version == pin.version && entry.top == Self.top(pin.version))
            #expect(entry.fileSize == Self.size(pin.version))
            #expect(entry.count(PinKind(rawValue: pin.kind)!) > 0)
        }
    }
}
