/// The one address space of a snapshot: a ref is an offset from `base`, valid below `limit`.
///
/// Every node is checked once, when it is opened: aligned, inside the logical size, whole, of a form
/// the format knows. Inside a checked node no further checks are needed for its own bytes, as long as
/// it is read in its form: whoever expects packed integers opens it with `integers`. A trivial value; the snapshot that made it keeps the mapping alive.
struct NodeSpace {
    let base: UnsafeRawPointer
    /// Nodes below are read without more ado: the logical size, or 0 where pages have to be prepared.
    private let direct: UInt64
    /// Holds, among others, the bytes of nodes that may still be opened. A tree references each node
    /// once, so one walk over everything never opens more bytes than the file holds; a cycle or a
    /// shared node does. Look-ups, which legitimately come back to the same nodes, use a space whose
    /// budget is practically endless.
    let state: UnsafeMutablePointer<ReadState>

    /// A view of the bytes at `base` below `limit`; `state` tells the rest.
    @inline(__always)
    init(base: UnsafeRawPointer, limit: UInt64, state: UnsafeMutablePointer<ReadState>) {
        self.base = base
        direct = state.pointee.pages == nil ? limit : 0
        self.state = state
    }

    /// The snapshot's logical size in bytes.
    @inline(__always)
    var limit: UInt64 { direct != 0 ? direct : state.pointee.limit }

    /// Opens the node at `ref`, charging its size to the budget.
    @inline(__always)
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        let at = ref.raw
        var end = direct
        if at >= end {
            // A node of the open write transaction, of an encrypted file, one that stands for an older
            // form, or a reference to nowhere.
            end = state.pointee.slabEnd
            if at < state.pointee.slabStart || at >= end { return try distantNode(ref) }
        }
        return try open(ref, below: end) { _ throws(RealmError) in }
    }

    /// Opens a node that is below `end`.
    ///
    /// - Parameter prepare: is called with the bytes the node has, once they are known to lie inside.
    @inline(__always)
    func open(
        _ ref: Ref, below end: UInt64, _ prepare: (Int) throws(RealmError) -> Void
    ) throws(RealmError) -> NodeView {
        let at = ref.raw
        guard at & 7 == 0, at >= RawHeader.end, end &- at >= 8 else { throw badRef(ref) }
        let header = (base + Int(at)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        let count = Int((header >> 40).byteSwapped >> 40)
        let size = NodeView.payloadSize(flags: flags, count: count) &+ 8
        guard UInt64(size) <= end &- at, (Self.knownForms >> UInt32(flags >> 3)) & 1 != 0 else {
            throw badNode(ref, count)
        }
        try prepare(size)
        #if DEBUG
            state.pointee.opened += 1
        #endif
        try charge(size, at: ref)
        return NodeView(payload: base + Int(at) + 8, count: count, flags: flags)
    }

    /// Opens a node that stands for an older form, or one of an encrypted file: its header is read when
    /// its page is there, and the rest when all pages it reaches are.
    @inline(never)
    private func distantNode(_ ref: Ref) throws(RealmError) -> NodeView {
        if state.pointee.derived != nil, let node = try derivedNode(ref) { return node }
        let (at, limit) = (ref.raw, state.pointee.limit)
        guard let marks = state.pointee.marks, at & 7 == 0, at < limit else { throw badRef(ref) }
        try prepare(marks, Int(at), 1)
        return try open(ref, below: limit) { (size) throws(RealmError) in
            try prepare(marks, Int(at), size)
        }
    }

    /// Has the pages of `count` bytes at `offset` there.
    @inline(__always)
    private func prepare(
        _ marks: EncryptedPages.Marks, _ offset: Int, _ count: Int
    ) throws(RealmError) {
        let moment = state.pointee.moment
        var page = offset >> EncryptedLayout.pageShift
        let last = (offset &+ count &- 1) >> EncryptedLayout.pageShift
        while page <= last {
            if marks[page].load(ordering: .acquiring) < moment { try load(page) }
            page &+= 1
        }
    }

    @inline(never)
    private func load(_ page: Int) throws(RealmError) {
        try state.pointee.pages?.takeUnretainedValue().load(page, state.pointee.moment)
    }

    /// Has the pages of the node at `ref`, which is about to be read without being opened; nothing
    /// where pages are the file's own. What the node's header announces beyond the version is for the
    /// caller to refuse.
    func prepareIfNeeded(_ ref: Ref) throws(RealmError) {
        guard let marks = state.pointee.marks else { return }
        let (at, limit) = (ref.raw, state.pointee.limit)
        guard at & 7 == 0, at < limit, limit - at >= 8 else { throw badRef(ref) }
        try prepare(marks, Int(at), NodeView.headerSize)
        let header = (base + Int(at)).load(as: UInt64.self)
        let flags = UInt8(truncatingIfNeeded: header >> 32)
        let count = Int((header >> 40).byteSwapped >> 40)
        let size = NodeView.payloadSize(flags: flags, count: count) &+ 8
        if UInt64(size) <= limit - at { try prepare(marks, Int(at), size) }
    }

    /// As above for `count` bytes, which may be those of several nodes.
    func prepareIfNeeded(_ ref: Ref, _ count: Int) throws(RealmError) {
        guard let marks = state.pointee.marks, count > 0, ref.raw <= limit,
            UInt64(count) <= limit - ref.raw
        else { return }
        try prepare(marks, Int(ref.raw), count)
    }

    /// One bit per combination of inner, has-refs, context and width type: refs are always packed
    /// integers, inner nodes always have refs, and there is no fourth width type (storage format
    /// 2.1, 2.4).
    private static let knownForms: UInt32 = 0x1100_1177

    static func isKnownForm(_ flags: UInt8) -> Bool { (knownForms >> UInt32(flags >> 3)) & 1 != 0 }

    /// Charges `bytes` of work to the budget.
    @inline(__always)
    func charge(_ bytes: Int, at ref: Ref) throws(RealmError) {
        state.pointee.budget &-= bytes
        if state.pointee.budget < 0 { throw exhausted(ref) }
    }

    /// Charges the use of a stored value, which costs its reader time by length. A fraction of it:
    /// a sound walk may look at a value dozens of times, a damaged file must not show one without
    /// end.
    @inline(__always)
    func chargeValue(_ length: Int, at ref: Ref) throws(RealmError) {
        if length > 256 { try charge(length >> 5, at: ref) }
    }

    /// Checks and charges the elements of one leaf of a collection. They may have no width, so the
    /// bytes of the leaf say nothing about the work they make.
    @inline(__always)
    func chargeElements(_ count: Int, at ref: Ref) throws(RealmError) {
        if state.pointee.derived != nil { return try chargeDerivedElements(count, at: ref) }
        guard count <= maximumElements else { throw tooMany(count, ref) }
        try charge(count >> 5, at: ref)
    }

    /// A new walk begins. A walk comes to some nodes several times: for a filter, for its order,
    /// for output; the rest is slack for small files.
    func resetBudget() {
        if !state.pointee.isOutdated { state.pointee.budget = 16 &* extent &+ (1 << 14) }
    }

    /// Throws when what is read has been outdated, for those who have a node open.
    @inline(__always)
    func checkCurrent() throws(RealmError) { if state.pointee.isOutdated { throw outdated } }

    private var outdated: RealmError {
        .misuse(
            "a view of an open write transaction is read after the transaction went on",
            code: "WrongTransactionState", reason: "outdated")
    }

    /// The same bytes without a meter: for what a walk opens again and again for single values.
    @inline(__always)
    var unmetered: NodeSpace {
        NodeSpace(base: base, limit: limit, state: state.pointee.lookup)
    }

    /// Values put together from parts so far.
    var joinedBlobs: JoinedBlobs {
        let owner = state.pointee.lookup
        if let known = owner.pointee.joined { return known.takeUnretainedValue() }
        let made = JoinedBlobs()
        owner.pointee.joined = .passRetained(made)
        return made
    }

    /// Bytes that nodes can occupy, those of an open write transaction included; files of older formats
    /// need fewer for the same.
    private var extent: Int {
        let bytes = Int(limit &+ (state.pointee.slabEnd &- state.pointee.slabStart))
        return state.pointee.derived == nil ? bytes : 9 &* bytes &+ (1 << 16)
    }

    /// More elements than the collections of a sound file have: 1000 without width take 8 bytes.
    @inline(__always) var maximumElements: Int { 128 &* extent }

    /// More objects than the tables of a sound file have: 256 without properties take 16 bytes.
    @inline(__always) var maximumObjects: Int { 16 &* extent }

    /// Opens a node that must hold refs, be no inner node, and have at least `slots` elements.
    @inline(__always)
    func refNode(_ ref: Ref, slots: Int, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.flags & NodeView.formMask == NodeView.hasRefsFlag, node.count >= slots else {
            throw wrongShape(ref, role)
        }
        return node
    }

    /// As `refNode`, for trees whose inner nodes have the shape of their leaves.
    @inline(__always)
    func treeNode(_ ref: Ref, slots: Int, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.flags & NodeView.formMask & ~NodeView.innerFlag == NodeView.hasRefsFlag,
            node.count >= slots
        else { throw wrongShape(ref, role) }
        return node
    }

    /// Opens a node that must be a plain array of integers.
    @inline(__always)
    func integers(_ ref: Ref, _ role: StaticString) throws(RealmError) -> NodeView {
        try integers(node(ref), ref, role)
    }

    /// The same of a node that is open.
    @inline(__always)
    func integers(
        _ node: NodeView, _ ref: Ref, _ role: StaticString
    ) throws(RealmError) -> NodeView {
        guard node.flags & NodeView.formMask == 0 else { throw wrongShape(ref, role) }
        return node
    }

    @inline(never)
    func badRef(_ ref: Ref) -> RealmError {
        if state.pointee.isOutdated { return outdated }
        return .corrupt(
            ref.raw & 7 != 0
                ? "a reference is not a multiple of 8"
                : "a reference leads outside the snapshot of \(limit) bytes", at: ref)
    }

    @inline(never)
    func badNode(_ ref: Ref, _ count: Int) -> RealmError {
        .corrupt(
            "a node of \(count) elements does not fit the snapshot or has no known form", at: ref)
    }

    @inline(never)
    func wrongShape(_ ref: Ref, _ role: StaticString) -> RealmError {
        .corrupt("not the form of node expected here (\(role))", at: ref)
    }

    @inline(never)
    func tooMany(_ count: Int, _ ref: Ref) -> RealmError {
        .corrupt("\(count) elements are announced, more than the file can hold", at: ref)
    }

    @inline(never)
    func exhausted(_ ref: Ref) -> RealmError {
        if state.pointee.isOutdated { return outdated }
        return .corrupt(
            "more nodes are reached than the file can hold (a cycle or a shared node)", at: ref)
    }
}

/// What changes while nodes are read: the remaining budget and the values joined from parts.
struct ReadState {
    var budget: Int
    /// Made when first needed, of the space for look-ups alone.
    var joined: Unmanaged<JoinedBlobs>?
    /// The state of the space for look-ups beside this one.
    let lookup: UnsafeMutablePointer<ReadState>
    /// What prepares the pages of an encrypted file, and since when they have to be right; with them
    /// the logical size. Nil for other files.
    var pages: Unmanaged<EncryptedPages>?
    var marks: EncryptedPages.Marks?
    var moment: UInt64 = 0
    var limit: UInt64 = 0
    /// What makes the nodes of a version in an older form; nil for others.
    var derived: Unmanaged<DerivedNodes>?
    /// Bits of a key that each level of a cluster tree takes where nodes do not store offsets.
    var keyShift: UInt64 = 8
    /// A write transaction whose state this was has changed it.
    var isOutdated = false
    /// The refs that nodes of an open write transaction have; an empty range for readers.
    var slabStart: UInt64 = 0
    var slabEnd: UInt64 = 0
    #if DEBUG
        /// Nodes opened, for tests of how much work something takes.
        var opened = 0
    #endif

    /// For look-ups: never exhausted in practice.
    static let endless = Int.max / 2
}

/// Values stored in several blobs, put together once and kept as long as the snapshot.
final class JoinedBlobs {
    private var memory: [Ref: UnsafeMutableRawPointer] = [:]
    private var total = 0

    deinit { for block in memory.values { block.deallocate() } }

    /// The joined bytes of the value at `ref`; `fill` writes all of them the first time. Parts
    /// belong to one value each, so all values together are not longer than `limit`.
    func bytes(
        of ref: Ref, count: Int, limit: UInt64,
        fill: (UnsafeMutableRawPointer) throws(RealmError) -> Void
    ) throws(RealmError) -> UnsafeRawPointer {
        if let known = memory[ref] { return UnsafeRawPointer(known) }
        guard total + count <= limit else {
            throw .corrupt("values in parts are longer than the file (shared parts)", at: ref)
        }
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(1, count), alignment: 8)
        do throws(RealmError) { try fill(block) } catch {
            block.deallocate()
            throw error
        }
        memory[ref] = block
        total += count
        return UnsafeRawPointer(block)
    }
}
