/// The address space of a snapshot: a ref is an offset from `base`, valid below `limit`.
///
/// Every node is checked when it is opened: it is aligned, completely inside the logical size, and
/// of a form the format defines. Reading a checked node needs no further checks as long as it is
/// read in its form; for packed integers, `integers` checks the form. A trivial value; the snapshot
/// that made it keeps the mapping alive.
struct NodeSpace {
    let base: UnsafeRawPointer
    /// Nodes below this offset can be opened directly: the logical size, or 0 if pages have to be
    /// prepared.
    private let direct: UInt64
    /// Mutable state, including the remaining budget of bytes to open. A tree references each node
    /// once, so a walk over everything never opens more bytes than the file holds, unless there is
    /// a cycle or a shared node. Look-ups, which may open the same nodes repeatedly, use a space
    /// whose budget is practically endless.
    let state: UnsafeMutablePointer<ReadState>

    /// Makes a view of the bytes from `base` up to `limit`.
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
            // A node of the open write transaction, a node of an encrypted file, a derived node, or
            // an invalid ref.
            end = state.pointee.slabEnd
            if at < state.pointee.slabStart || at >= end { return try distantNode(ref) }
        }
        return try open(ref, below: end) { _ throws(RealmError) in }
    }

    /// Opens a node that is below `end`.
    ///
    /// - Parameter prepare: called with the size of the node, once it is known to be inside.
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
        guard UInt64(size) <= end &- at, (Self.validatedForms >> UInt32(flags >> 3)) & 1 != 0 else {
            throw badNode(ref, count)
        }
        try prepare(size)
        #if DEBUG
            state.pointee.opened += 1
        #endif
        try charge(size, at: ref)
        return NodeView(payload: base + Int(at) + 8, count: count, flags: flags)
    }

    /// Opens a derived node or a node of an encrypted file, whose page is prepared before its
    /// header is read, and whose other pages are prepared before it is returned.
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

    /// Prepares the pages of `count` bytes at `offset`.
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

    /// Prepares the pages of the node at `ref`, which is about to be read without being opened.
    /// Does nothing for unencrypted files. If the node's header announces more bytes than the
    /// version has, the caller reports that.
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

    /// Prepares the pages of `count` bytes at `ref`, which may contain several nodes.
    func prepareIfNeeded(_ ref: Ref, _ count: Int) throws(RealmError) {
        guard let marks = state.pointee.marks, count > 0, ref.raw <= limit,
            UInt64(count) <= limit - ref.raw
        else { return }
        try prepare(marks, Int(ref.raw), count)
    }

    /// One bit per combination of inner flag, has-refs flag, context flag and width type. Valid
    /// are: nodes with refs have width type 0, inner nodes have refs, and there is no fourth width
    /// type (storage format 2.1, 2.4).
    private static let validatedForms: UInt32 = 0x1100_1177

    static func isKnownForm(_ flags: UInt8) -> Bool {
        (validatedForms >> UInt32(flags >> 3)) & 1 != 0
    }

    /// Charges `bytes` of work to the budget.
    @inline(__always)
    func charge(_ bytes: Int, at ref: Ref) throws(RealmError) {
        state.pointee.budget &-= bytes
        if state.pointee.budget < 0 { throw exhausted(ref) }
    }

    /// Charges the use of a stored value, whose length determines the cost of reading it. Only a
    /// fraction is charged: a valid walk may read a value dozens of times, but a damaged file must
    /// not present one endlessly.
    @inline(__always)
    func chargeValue(_ length: Int, at ref: Ref) throws(RealmError) {
        if length > 256 { try charge(length >> 5, at: ref) }
    }

    /// Checks and charges the elements of a leaf of a collection. With a width of 0, the size of
    /// the leaf does not limit their number.
    @inline(__always)
    func chargeElements(_ count: Int, at ref: Ref) throws(RealmError) {
        if state.pointee.derived != nil { return try chargeDerivedElements(count, at: ref) }
        guard count <= maximumElements else { throw tooMany(count, ref) }
        try charge(count >> 5, at: ref)
    }

    /// Restores the budget for a new walk. A walk visits some nodes several times: for a filter, a
    /// sort order and output; the constant is for small files.
    func resetBudget() {
        if !state.pointee.isOutdated { state.pointee.budget = 16 &* extent &+ (1 << 14) }
    }

    /// Throws if the transaction has outdated this space, for callers that have a node open.
    @inline(__always)
    func checkCurrent() throws(RealmError) { if state.pointee.isOutdated { throw outdated } }

    private var outdated: RealmError {
        .misuse(
            "a view of an open write transaction is read after the transaction went on",
            code: "WrongTransactionState", reason: "outdated")
    }

    /// The same bytes without a budget, for single values that a walk opens repeatedly.
    @inline(__always)
    var unmetered: NodeSpace {
        NodeSpace(base: base, limit: limit, state: state.pointee.lookup)
    }

    /// Cache of the values that were joined from parts.
    var joinedBlobs: JoinedBlobs {
        let owner = state.pointee.lookup
        if let known = owner.pointee.joined { return known.takeUnretainedValue() }
        let made = JoinedBlobs()
        owner.pointee.joined = .passRetained(made)
        return made
    }

    /// Number of bytes that nodes can occupy, including nodes of an open write transaction. Files
    /// of older formats need fewer bytes for the same content.
    private var extent: Int {
        let bytes = Int(limit &+ (state.pointee.slabEnd &- state.pointee.slabStart))
        return state.pointee.derived == nil ? bytes : 9 &* bytes &+ (1 << 16)
    }

    /// Upper bound of the number of elements in a valid file's collections: 1000 elements of width
    /// 0 take 8 bytes.
    @inline(__always) var maximumElements: Int { 128 &* extent }

    /// Upper bound of the number of objects in a valid file's tables: 256 without properties take
    /// 16 bytes.
    @inline(__always) var maximumObjects: Int { 16 &* extent }

    /// Opens a node that must have refs, must not be an inner node, and must have at least `slots`
    /// elements.
    @inline(__always)
    func refNode(_ ref: Ref, slots: Int, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.flags & NodeView.formMask == NodeView.hasRefsFlag, node.count >= slots else {
            throw wrongShape(ref, role)
        }
        return node
    }

    /// Opens a node of a tree whose inner nodes have the shape of its leaves; otherwise like
    /// `refNode`.
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

    /// Checks that an open node is a plain array of integers.
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

/// Mutable state of a `NodeSpace`: the remaining budget, and how nodes outside the plain file are
/// read.
struct ReadState {
    var budget: Int
    /// Cache of joined values, created on first use; only in the state of the look-up space.
    var joined: Unmanaged<JoinedBlobs>?
    /// State of the snapshot's look-up space.
    let lookup: UnsafeMutablePointer<ReadState>
    /// Pages of an encrypted file with their marks, the moment of the version, and the logical
    /// size. Nil for unencrypted files.
    var pages: Unmanaged<EncryptedPages>?
    var marks: EncryptedPages.Marks?
    var moment: UInt64 = 0
    var limit: UInt64 = 0
    /// Builds the nodes of a version of an older format; nil for the current format.
    var derived: Unmanaged<DerivedNodes>?
    /// Number of key bits per level of a cluster tree whose nodes do not store offsets.
    var keyShift: UInt64 = 8
    /// Whether the write transaction to which this state belonged has changed since.
    var isOutdated = false
    /// Range of refs of an open write transaction's nodes; empty for readers.
    var slabStart: UInt64 = 0
    var slabEnd: UInt64 = 0
    #if DEBUG
        /// Number of nodes opened, for tests of the work an operation takes.
        var opened = 0
    #endif

    /// Budget for look-ups, never exhausted in practice.
    static let endless = Int.max / 2
}

/// Cache of values that are stored in several blobs, joined once and kept as long as the snapshot.
final class JoinedBlobs {
    private var memory: [Ref: UnsafeMutableRawPointer] = [:]
    private var total = 0

    deinit { for block in memory.values { block.deallocate() } }

    /// Returns the joined bytes of the value at `ref`; `fill` writes them the first time. A part
    /// belongs to one value only, so all values together must not be longer than `limit`.
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
