import Synchronization

/// A mapped lock file of layout 14 (storage format 6.2).
///
///      0  init_complete, sizes of mutex and condition, critical flag, format, history, layout
///      8  durability   12  participants   16  newest version   24  pid   32  number of versions
///     44  history schema   48  write mutex   88  control mutex   128  version-list mutex
///    168  three unused conditions   312  new commit   360  next writer   408  tickets
///    432  version list: entries, allocating, newest, then 40 bytes an entry
///
/// A trivial view; `memory` keeps the bytes alive. Section 6.2 lists which lock guards which field.
struct LockFile: @unchecked Sendable {
    let memory: MappedLockFile

    static let layout: UInt16 = 14
    static let initialEntries = 32
    static let headerSize = 448
    static let entrySize = 40
    static let noEntry = UInt32.max

    static func size(entries: Int) -> Int { headerSize + entrySize * entries }
    static let initialSize = size(entries: initialEntries)

    var base: UnsafeMutableRawPointer { memory.base }

    private enum Offset {
        static let initComplete = 0
        static let mutexSize = 1
        static let conditionSize = 2
        static let critical = 3
        static let format = 4
        static let historyType = 5
        static let layout = 6
        static let durability = 8
        static let participants = 12
        static let newestVersion = 16
        static let initiator = 24
        static let versionCount = 32
        static let historySchema = 44
        static let writeMutex = 48
        static let controlMutex = 88
        static let versionMutex = 128
        static let unusedConditions = [168, 216, 264]
        static let newCommit = 312
        static let nextWriter = 360
        static let nextTicket = 408
        static let nextServed = 412
        static let writtenPage = 416
        static let pageWrites = 424
        static let entries = 432
        static let allocating = 436
        static let newest = 440
    }

    /// Initialises a zeroed lock file for the first process that opens the database. Stores
    /// `init_complete` last.
    static func initialize(
        _ base: UnsafeMutableRawPointer, durability: UInt16, historyType: Int8,
        historySchema: UInt16
    ) {
        func put<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
            base.storeBytes(of: value, toByteOffset: offset, as: T.self)
        }
        put(UInt8(SharedMutex.size), Offset.mutexSize)
        put(UInt8(SharedCondition.size), Offset.conditionSize)
        put(historyType, Offset.historyType)
        put(layout, Offset.layout)
        put(durability, Offset.durability)
        put(historySchema, Offset.historySchema)
        for offset in [Offset.writeMutex, Offset.controlMutex, Offset.versionMutex] {
            SharedMutex(base + offset).initialize()
        }
        for offset in Offset.unusedConditions {
            SharedCondition(base + offset).initialize(isShared: false)
        }
        for offset in [Offset.newCommit, Offset.nextWriter] {
            SharedCondition(base + offset).initialize(isShared: true)
        }
        put(UInt32(initialEntries), Offset.entries)
        put(noEntry, Offset.newest)
        Failpoint.reach(.initializing)
        atomic8(base, Offset.initComplete).pointee.store(1, ordering: .releasing)
    }

    private static func atomic8(
        _ base: UnsafeMutableRawPointer, _ offset: Int
    ) -> UnsafeMutablePointer<Atomic<UInt8>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt8>.self)
    }

    private func atomic32(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    private func atomic64(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func read<T: BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
        base.load(fromByteOffset: offset, as: type)
    }

    private func put<T: BitwiseCopyable>(_ value: T, _ offset: Int) {
        base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    // MARK: Layout

    /// Whether the init-complete byte is set. Only the value 1 is valid for layout 14;
    /// `foreignLayout` reports any other value.
    var isInitialized: Bool { initialization != 0 }

    private var initialization: UInt8 {
        Self.atomic8(base, Offset.initComplete).pointee.load(ordering: .acquiring)
    }

    /// Describes how the layout differs from layout 14; nil if it does not.
    var foreignLayout: String? {
        if initialization > 1 { return "begun in another way" }
        let layout = read(Offset.layout, UInt16.self)
        if layout != Self.layout { return "layout \(layout) instead of \(Self.layout)" }
        if read(Offset.mutexSize, UInt8.self) != UInt8(SharedMutex.size)
            || read(Offset.conditionSize, UInt8.self) != UInt8(SharedCondition.size)
        {
            return "locks of another C library"
        }
        for mutex in [writeMutex, controlMutex, versionMutex] where !mutex.isSound {
            return "locks of another sort"
        }
        return nil
    }

    // MARK: Locks and conditions

    var writeMutex: SharedMutex { SharedMutex(base + Offset.writeMutex) }
    var controlMutex: SharedMutex { SharedMutex(base + Offset.controlMutex) }
    var versionMutex: SharedMutex { SharedMutex(base + Offset.versionMutex) }
    var newCommit: SharedCondition { SharedCondition(base + Offset.newCommit) }
    var nextWriter: SharedCondition { SharedCondition(base + Offset.nextWriter) }

    // MARK: Session facts, guarded by the control mutex

    var participants: UInt32 {
        get { read(Offset.participants, UInt32.self) }
        nonmutating set { put(newValue, Offset.participants) }
    }
    var newestVersion: UInt64 {
        get { atomic64(Offset.newestVersion).pointee.load(ordering: .acquiring) }
        nonmutating set {
            atomic64(Offset.newestVersion).pointee.store(newValue, ordering: .releasing)
        }
    }
    var versionCount: UInt64 {
        get { atomic64(Offset.versionCount).pointee.load(ordering: .relaxed) }
        nonmutating set {
            atomic64(Offset.versionCount).pointee.store(newValue, ordering: .relaxed)
        }
    }
    var format: UInt8 {
        get { read(Offset.format, UInt8.self) }
        nonmutating set { put(newValue, Offset.format) }
    }
    var historyType: Int8 { read(Offset.historyType, Int8.self) }
    var historySchema: UInt16 { read(Offset.historySchema, UInt16.self) }
    var durability: UInt16 { read(Offset.durability, UInt16.self) }
    var initiatorPID: UInt64 {
        get { read(Offset.initiator, UInt64.self) }
        nonmutating set { put(newValue, Offset.initiator) }
    }

    // MARK: Writer's turn

    /// Whether a writer is publishing a version-list entry. Stays set if the writer dies meanwhile.
    var isCritical: Bool {
        get { Self.atomic8(base, Offset.critical).pointee.load(ordering: .acquiring) != 0 }
        nonmutating set {
            Self.atomic8(base, Offset.critical).pointee.store(
                newValue ? 1 : 0, ordering: .releasing)
        }
    }

    func takeTicket() -> UInt32 {
        atomic32(Offset.nextTicket).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
            .oldValue
    }

    var nextServed: UInt32 {
        get { atomic32(Offset.nextServed).pointee.load(ordering: .acquiring) }
        nonmutating set {
            atomic32(Offset.nextServed).pointee.store(newValue, ordering: .releasing)
        }
    }

    var nextTicket: UInt32 { atomic32(Offset.nextTicket).pointee.load(ordering: .acquiring) }

    // MARK: Pages of an encrypted file

    /// Records that a writer begins to write pages, the first one at file offset `position`. While
    /// it writes, readers retry pages that do not authenticate.
    func beginPages(at position: Int) {
        atomic64(Offset.writtenPage).pointee.store(UInt64(position) + 1, ordering: .releasing)
        atomic64(Offset.pageWrites).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    /// Records that the writer has written all changed pages to the file.
    func endPages() {
        atomic64(Offset.pageWrites).pointee.wrappingAdd(1, ordering: .acquiringAndReleasing)
        atomic64(Offset.writtenPage).pointee.store(0, ordering: .releasing)
    }

    // MARK: Version list, guarded by the version-list mutex

    var entryCount: Int { Int(read(Offset.entries, UInt32.self)) }

    func setEntryCount(_ count: Int) { put(UInt32(count), Offset.entries) }

    var allocating: UInt32 {
        get { atomic32(Offset.allocating).pointee.load(ordering: .acquiring) }
        nonmutating set {
            atomic32(Offset.allocating).pointee.store(newValue, ordering: .releasing)
        }
    }

    /// Index of the newest version's entry; may be read without the mutex.
    var newest: UInt32 {
        get { atomic32(Offset.newest).pointee.load(ordering: .acquiring) }
        nonmutating set { atomic32(Offset.newest).pointee.store(newValue, ordering: .releasing) }
    }

    /// Returns entry `i` of the version list. The bytes of the entry must be mapped.
    func entry(_ i: Int) -> VersionEntry {
        VersionEntry(base + Self.headerSize + Self.entrySize * i)
    }
}
