/// The address space of a snapshot: a ref is an offset from `base`, and must be less than `limit`.
///
/// Opening a node checks that it is aligned, that it ends before the end of the version, and that
/// the format permits its flags. Elements can then be read without further checks, if the caller
/// also checks whether the node has refs; `integers` does so for packed integers. A trivial value;
/// the snapshot that made it keeps the mapping alive.
struct NodeSpace {
    let base: UnsafeRawPointer
    /// Nodes below this offset can be opened directly. Equals the end of the version, or 0 if pages
    /// must be decrypted first.
    private let direct: UInt64
    /// Mutable state, including the read budget: the number of bytes that may still be read. A tree
    /// references each node once, so a visit of all nodes reads at most as many bytes as the file
    /// has, unless there is a cycle or a shared node. Code that may open the same node repeatedly
    /// uses `ReadContext.lookup`, whose budget is practically endless.
    let state: UnsafeMutablePointer<ReadState>

    /// Makes a view of the bytes from `base` up to `limit`.
    @inline(__always)
    init(base: UnsafeRawPointer, limit: UInt64, state: UnsafeMutablePointer<ReadState>) {
        self.base = base
        direct = state.pointee.pages == nil ? limit : 0
        self.state = state
    }

    /// Size of the version that is read, in bytes. Refs must be below it.
    @inline(__always)
    var limit: UInt64 { direct != 0 ? direct : state.pointee.limit }

    /// Opens the node at `ref` and subtracts its size from the read budget, the number of bytes
    /// that this space may still read. Throws `corrupt` if the ref or node is invalid, or the
    /// budget is exhausted.
    @inline(__always)
    func node(_ ref: Ref) throws(RealmError) -> NodeView {
        let at = ref.raw
        var end = direct
        if at >= end {
            // The node belongs to the open write transaction, to an encrypted file or to a file of
            // an older format, or the ref is invalid.
            end = state.pointee.slabEnd
            if at < state.pointee.slabStart || at >= end { return try distantNode(ref) }
        }
        return try open(ref, below: end) { _ throws(RealmError) in }
    }

    /// Opens a node that must end before `end`.
    ///
    /// - Parameter prepare: called with the size of the node after its bounds were checked, for
    ///   example to decrypt its pages.
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

    /// Opens a node that is not plain bytes of the file: a node that `DerivedNodes` builds for an
    /// older format, or a node of an encrypted file. In an encrypted file, decrypts the page with
    /// the node's header, reads the size of the node from the header, and decrypts the node's other
    /// pages.
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

    /// Decrypts the pages of `count` bytes at `offset` unless they are up to date.
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

    /// Decrypts the pages of the node at `ref`, whose bytes the caller will read without opening
    /// the node. Does nothing for unencrypted files. If the size in the node's header exceeds the
    /// version, only the page with the node's header is decrypted, and the caller reports the
    /// error.
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

    /// Decrypts the pages of `count` bytes from `ref` on. Does nothing for an unencrypted file, or
    /// if the bytes are not inside the version. The bytes may belong to several nodes.
    func prepareIfNeeded(_ ref: Ref, _ count: Int) throws(RealmError) {
        guard let marks = state.pointee.marks, count > 0, ref.raw <= limit,
            UInt64(count) <= limit - ref.raw
        else { return }
        try prepare(marks, Int(ref.raw), count)
    }

    /// Bit set of the valid flags, indexed by `flags >> 3`: inner flag, has-refs flag, context flag
    /// and width type. Nodes with refs have width type 0, inner nodes have refs, and width type 3
    /// does not exist (storage format 2.1, 2.4).
    private static let validatedForms: UInt32 = 0x1100_1177

    static func isKnownForm(_ flags: UInt8) -> Bool {
        (validatedForms >> UInt32(flags >> 3)) & 1 != 0
    }

    /// Subtracts `bytes` from the read budget, the number of bytes that may still be read. Throws
    /// `corrupt` if the budget is exhausted.
    @inline(__always)
    func charge(_ bytes: Int, at ref: Ref) throws(RealmError) {
        state.pointee.budget &-= bytes
        if state.pointee.budget < 0 { throw exhausted(ref) }
    }

    /// Subtracts 1/32 of `length`, the size of a stored value, from the read budget (number of
    /// bytes that may still be read). Only a fraction, since reading a valid file may read the same
    /// value dozens of times. A damaged file, however, must not repeat a value for ever.
    @inline(__always)
    func chargeValue(_ length: Int, at ref: Ref) throws(RealmError) {
        if length > 256 { try charge(length >> 5, at: ref) }
    }

    /// Subtracts 1/32 of `count`, the number of elements in a leaf of a collection, from the read
    /// budget (number of bytes that may still be read). Elements of width 0 take no space, so the
    /// size of the leaf does not limit their number. Throws `corrupt` if the file cannot have that
    /// many elements.
    @inline(__always)
    func chargeElements(_ count: Int, at ref: Ref) throws(RealmError) {
        if state.pointee.derived != nil { return try chargeDerivedElements(count, at: ref) }
        guard count <= maximumElements else { throw tooMany(count, ref) }
        try charge(count >> 5, at: ref)
    }

    /// Sets the read budget, the number of bytes that may still be read, for a new visit of the
    /// nodes. It is 16 times the size of the file: one visit may read a node for a filter, for a
    /// sort order and for the output. Adds a constant for small files.
    func resetBudget() {
        if !state.pointee.isOutdated { state.pointee.budget = 16 &* extent &+ (1 << 14) }
    }

    /// Throws `misuse` if later edits of the write transaction have replaced nodes that this
    /// `NodeSpace` reads. For callers that read a node which they opened earlier.
    @inline(__always)
    func checkCurrent() throws(RealmError) { if state.pointee.isOutdated { throw outdated } }

    private var outdated: RealmError {
        .misuse(
            "a view of an open write transaction is read after the transaction went on",
            code: "WrongTransactionState", reason: "outdated")
    }

    /// A `NodeSpace` that reads the same bytes without a limit on the number of bytes read (the
    /// read budget). Used for single values that a visit of a tree reads repeatedly.
    @inline(__always)
    var unmetered: NodeSpace {
        NodeSpace(base: base, limit: limit, state: state.pointee.lookup)
    }

    /// Cache of values that are stored in several blobs.
    var joinedBlobs: JoinedBlobs {
        let owner = state.pointee.lookup
        if let known = owner.pointee.joined { return known.takeUnretainedValue() }
        let made = JoinedBlobs()
        owner.pointee.joined = .passRetained(made)
        return made
    }

    /// Number of bytes that nodes can occupy, including nodes of an open write transaction. Older
    /// formats store the same content in fewer bytes, so for them the number is multiplied by nine.
    private var extent: Int {
        let bytes = Int(limit &+ (state.pointee.slabEnd &- state.pointee.slabStart))
        return state.pointee.derived == nil ? bytes : 9 &* bytes &+ (1 << 16)
    }

    /// Upper bound of the number of elements in a valid file's collections. The smallest leaf, 1000
    /// elements of width 0, takes 8 bytes.
    @inline(__always) var maximumElements: Int { 128 &* extent }

    /// Upper bound of the number of objects in a valid file's tables. The smallest leaf, 256
    /// objects without properties, takes 16 bytes.
    @inline(__always) var maximumObjects: Int { 16 &* extent }

    /// Opens a node that must have refs, at least `slots` elements, and no inner flag.
    @inline(__always)
    func refNode(_ ref: Ref, slots: Int, _ role: StaticString) throws(RealmError) -> NodeView {
        let node = try node(ref)
        guard node.flags & NodeView.formMask == NodeView.hasRefsFlag, node.count >= slots else {
            throw wrongShape(ref, role)
        }
        return node
    }

    /// Opens a node that must have refs and at least `slots` elements. Unlike `refNode`, accepts
    /// inner nodes too, for trees whose leaves also have refs.
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

/// Mutable state of a `NodeSpace`: the number of bytes that may still be read (the read budget),
/// and the data needed to open nodes that are not plain bytes of the file.
struct ReadState {
    var budget: Int
    /// Cache of values that are stored in several blobs. Nil before its first use, and always nil
    /// in the state of `ReadContext.walk`.
    var joined: Unmanaged<JoinedBlobs>?
    /// The read state of `ReadContext.lookup`, which has no limit on the number of bytes read. Both
    /// states of a `ReadContext` point to it.
    let lookup: UnsafeMutablePointer<ReadState>
    /// State of an encrypted file; nil for unencrypted files. `marks` has, for each page, the
    /// moment at which the page was last compared with the file. `moment` is the moment at which
    /// this version was opened: pages with lower marks are compared again (see `EncryptedPages`).
    /// `limit`, for all files, is the size of the version in bytes.
    var pages: Unmanaged<EncryptedPages>?
    var marks: EncryptedPages.Marks?
    var moment: UInt64 = 0
    var limit: UInt64 = 0
    /// Object that builds nodes in the current format from a file of an older format; nil if the
    /// file has the current format.
    var derived: Unmanaged<DerivedNodes>?
    /// Number of key bits per level of a cluster tree, for inner nodes that do not store offsets.
    var keyShift: UInt64 = 8
    /// Whether the nodes of the write transaction that this state can read have been replaced by
    /// later edits. Opening a node then throws.
    var isOutdated = false
    /// Range of refs of the open write transaction's nodes, or of nodes that were converted from an
    /// older format to memory. Empty for all other readers.
    var slabStart: UInt64 = 0
    var slabEnd: UInt64 = 0
    #if DEBUG
        /// Number of nodes opened. Tests use it to measure the work of an operation.
        var opened = 0
    #endif

    /// Initial read budget of `ReadContext.lookup`: number of bytes that may be read. `lookup` may
    /// open the same nodes repeatedly, so the number is too large to be reached in practice.
    static let endless = Int.max / 2
}

/// Cache of values that are stored in several blobs. A value is joined when it is first read; its
/// bytes are valid as long as the snapshot.
final class JoinedBlobs {
    private var memory: [Ref: UnsafeMutableRawPointer] = [:]
    private var total = 0

    deinit { for block in memory.values { block.deallocate() } }

    /// Returns the bytes of the value at `ref`, joined from several blobs. If they are not cached,
    /// `fill` writes them to the memory that it is given. Throws `corrupt` if the cached values are
    /// together longer than `limit`: valid values do not share blobs.
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
