import RealmEngine

/// Renders values as JSON into a buffer. Confined to its snapshot's thread.
package final class JSONRenderer {
    /// Conditions under which a value is rendered: what contains the value, and whether links in
    /// the value are expanded.
    package struct ValueContext {
        /// Links in the value to print as objects (`--expand`); nil to print all as links.
        package var expansion: Expansion?
        /// Nesting depth: number of collections and objects that contain the value.
        var depth = 0
        /// Whether the value belongs to an object of the table that is being printed, and not to a
        /// linked object.
        ///
        /// Reading the value then counts against the snapshot's read budget, the number of bytes
        /// that a walk over a table may read. The budget ends walks in cycles of damaged files.
        package var isWalking = true
        /// Whether the value is in a mixed property or in a collection inside of one.
        package var isMixed = false

        package init(
            expansion: Expansion? = nil, depth: Int = 0, isWalking: Bool = true,
            isMixed: Bool = false
        ) {
            self.expansion = expansion
            self.depth = depth
            self.isWalking = isWalking
            self.isMixed = isMixed
        }

        @inline(__always)
        func inside(_ expansion: Expansion?, _ element: ColumnType = .int) -> ValueContext {
            ValueContext(
                expansion: expansion, depth: depth + 1, isWalking: isWalking,
                isMixed: element == .mixed)
        }
    }

    /// Maximum nesting depth; more than any SDK permits.
    package static let maximumDepth = EmbeddedNesting.limit

    package let snapshot: Snapshot
    let style: ValueStyle
    package let targets: LinkTargets
    private var expandedPlans: [PlanKey: ObjectPlan] = [:]
    /// Number of embedded objects that may still be printed in the current field. Ends cycles of
    /// embedded objects in damaged files.
    private var nestedBudget = 0
    private let nestedLimit: Int

    private struct PlanKey: Hashable {
        let table: TableKey
        let expansion: ObjectIdentifier
    }

    package init(_ snapshot: Snapshot, _ style: ValueStyle) {
        self.snapshot = snapshot
        self.style = style
        targets = LinkTargets(snapshot)
        nestedLimit = snapshot.nestedObjectLimit
    }

    /// Begins a field: sets the number of embedded objects that may still be printed to the limit.
    package func beginField() { nestedBudget = nestedLimit }

    package func append(
        _ value: Value, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        if style.types == .extended || value.needsType(context) {
            if style.types == .extended || style.isExact {
                if try appendExtended(value, context, to: &out) { return }
            } else {
                style.countUntyped()
            }
        }
        switch value {
        case .null: out.append("null")
        case .int(let number): out.append(number: number)
        case .bool(let flag): out.append(flag)
        case .float(let number): out.append(json: number)
        case .double(let number): out.append(json: number)
        case .string(let text): appendString(text, to: &out)
        case .binary(let bytes): appendBinary(bytes, to: &out)
        case .timestamp(let time): appendTime(time, to: &out)
        case .decimal(let number): out.appendQuoted { $0.append(number: number) }
        case .objectID(let id): out.appendQuoted { $0.append(id) }
        case .uuid(let id): out.appendQuoted { $0.append(style.guid.converted(id)) }
        case .link(let link): try appendLink(link, context, to: &out)
        case .list(let view), .set(let view): try appendElements(view, context, to: &out)
        case .dictionary(let view): try appendEntries(view, context, to: &out)
        }
    }

    /// Appends a string as a JSON string. A string that is not UTF-8 is appended as base64 if
    /// `style.isExact` is true, otherwise counted as a loss.
    @inline(__always)
    func appendString(_ text: ByteView, to out: inout ByteBuffer) {
        let start = out.count
        if out.append(json: text) { return }
        if !style.isExact { return style.losses.countIllFormed() }
        out.truncate(to: start)
        out.append(spelledOut: text)
    }

    private func appendBinary(_ bytes: ByteView, to out: inout ByteBuffer) {
        switch style.binary {
        case .base64: out.appendQuoted { $0.append(base64: bytes) }
        case .hex:
            out.appendQuoted { $0.append(hex: bytes) }
            if bytes.count > 0 { style.countChosen() }
        case .omit: out.append("null")
        }
    }

    private func appendTime(_ time: Timestamp, to out: inout ByteBuffer) {
        switch style.time {
        case .rfc3339: out.appendQuoted { $0.append(rfc3339: time) }
        case .unix: out.append(unixSeconds: time)
        case .unixNanoseconds:
            out.append(unixNanoseconds: time)
            style.countChosen()
        }
    }
}

extension ByteBuffer {
    /// Appends the output of `content` in quotation marks. The output must need no escapes.
    @inline(__always)
    mutating func appendQuoted(_ content: (inout ByteBuffer) -> Void) {
        append(UInt8(ascii: "\""))
        content(&self)
        append(UInt8(ascii: "\""))
    }
}

// MARK: - Collections

extension JSONRenderer {
    /// Appends a list or set as `[…]`.
    func appendElements(
        _ view: CollectionView, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        out.append(UInt8(ascii: "["))
        if !view.root.isNone {
            try checkDepth(context)
            var elements = snapshot.elements(of: view, walking: context.isWalking)
            let inner = context.inside(context.expansion, view.element.type)
            let start = out.count
            while let element = try elements.next() {
                if out.count > start { out.append(UInt8(ascii: ",")) }
                try append(element, inner, to: &out)
            }
        }
        out.append(UInt8(ascii: "]"))
    }

    /// Appends a dictionary as `{…}`.
    func appendEntries(
        _ view: CollectionView, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        out.append(UInt8(ascii: "{"))
        if !view.root.isNone {
            try checkDepth(context)
            var entries = try snapshot.entries(of: view, walking: context.isWalking)
            let inner = context.inside(context.expansion, view.element.type)
            let start = out.count
            while let (key, value) = try entries.next() {
                if out.count > start { out.append(UInt8(ascii: ",")) }
                if context.isMixed, style.types == .plain, key.looksWrapped { style.countUntyped() }
                appendEntryKey(key, to: &out)
                try append(value, inner, to: &out)
            }
        }
        out.append(UInt8(ascii: "}"))
    }

    /// Appends a dictionary key as a member name. An integer becomes a string, because member names
    /// in JSON are strings.
    private func appendEntryKey(_ key: Value, to out: inout ByteBuffer) {
        switch key {
        case .string(let text) where style.types == .extended || style.isExact:
            appendExtendedKey(text, to: &out)
        case .string(let text): appendString(text, to: &out)
        case .int(let number): out.appendQuoted { $0.append(number: number) }
        default: out.append("\"\"")
        }
        out.append(UInt8(ascii: ":"))
    }

    @inline(__always)
    func checkDepth(_ context: ValueContext) throws(RealmError) {
        if context.depth >= Self.maximumDepth { throw Self.tooDeep }
    }

    package static var tooDeep: RealmError {
        .corrupt("nested more than \(maximumDepth) deep", in: "collection or embedded object")
    }
}

// MARK: - Links and objects

extension JSONRenderer {
    private func appendLink(
        _ link: ObjectLink, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        let reference = try targets.reference(link.table)
        let needsType = style.isExact && context.isMixed
        if context.isMixed, !style.isExact, style.isReadBack, style.types == .plain {
            try countLinkLoss(link, reference.takeUnretainedValue(), context)
        }
        if context.expansion == nil, !needsType,
            reference._withUnsafeGuaranteedRef({ $0.cache.append(link.key, to: &out) })
        {
            return
        }
        let target = reference.takeUnretainedValue()
        if style.showsLostLinks, try target.isLost(link.key) {
            return appendLostLink(link.key, of: target, to: &out)
        }
        if target.isEmbedded || context.expansion != nil {
            try appendObject(link.key, of: target, context, to: &out)
        } else if needsType {
            try appendLink(try target.primaryKey(link.key), link.key, of: target, to: &out)
        } else {
            try appendKey(link.key, of: target, to: &out)
        }
    }

    /// Counts a link in a mixed property as a loss, because the plain form does not contain the
    /// class of the target. The plain form is the target's key or the target itself.
    private func countLinkLoss(
        _ link: ObjectLink, _ target: LinkTarget, _ context: ValueContext
    ) throws(RealmError) {
        if context.expansion == nil, !target.isEmbedded,
            case .null? = try target.primaryKey(link.key)
        {
            return
        }
        style.countUntyped()
    }

    /// Appends a link to an embedded or missing object by its object key:
    /// `{"$link":{"table":"Person","_key":…}}`.
    private func appendLostLink(
        _ key: ObjectKey, of target: LinkTarget, to out: inout ByteBuffer
    ) {
        out.append("{\"$link\":{\"table\":")
        out.append(json: target.table.info.className)
        out.append(",\"_key\":")
        out.append(number: key.raw)
        out.append("}}")
    }

    /// Appends a link in extended form: `{"$link":{"table":"Person","key":…}}`.
    private func appendLink(
        _ primaryKey: Value?, _ key: ObjectKey, of target: LinkTarget, to out: inout ByteBuffer
    ) throws(RealmError) {
        out.append("{\"$link\":{\"table\":")
        out.append(json: target.table.info.className)
        out.append(",\"key\":")
        if let primaryKey {
            try append(primaryKey, ValueContext(), to: &out)
        } else {
            out.append(number: key.raw)
        }
        out.append("}}")
    }

    /// Appends the plain form of a link: the target's primary key; `{"_key":N}` if the class has
    /// none. If the primary key is null, appends the extended form, because `null` means no link.
    private func appendKey(
        _ key: ObjectKey, of target: LinkTarget, to out: inout ByteBuffer
    ) throws(RealmError) {
        let start = out.count
        let primaryKey = try target.primaryKey(key)
        // A lossy rendering is not cached, because each use must count the loss.
        if style.types == .plain, !style.isExact, case .string(let text)? = primaryKey, !text.isUTF8
        {
            return appendString(text, to: &out)
        }
        if style.types == .extended {
            try appendLink(primaryKey, key, of: target, to: &out)
        } else if case .null? = primaryKey {
            try appendLink(primaryKey, key, of: target, to: &out)
        } else if let primaryKey {
            try append(primaryKey, ValueContext(), to: &out)
        } else {
            out.append("{\"_key\":")
            out.append(number: key.raw)
            out.append("}")
        }
        target.cache.store(key, out, from: start)
    }

    /// Appends the object, with the members that its `ObjectPlan` lists.
    func appendObject(
        _ key: ObjectKey, of target: LinkTarget, _ context: ValueContext, to out: inout ByteBuffer
    ) throws(RealmError) {
        try checkDepth(context)
        var inner = context
        inner.depth += 1
        if target.isEmbedded {
            try charge(context)
        } else {
            inner.isWalking = false
        }
        let plan = plan(target, context.expansion)
        let scan = target.borrowScan()
        defer { target.releaseScan() }
        guard let row = try scan.seek(key) else { throw target.missing(key) }
        if plan.members.isEmpty { out.append("{") }
        for member in plan.members {
            out.append(member.name)
            inner.expansion = member.expansion
            inner.isMixed = member.isMixed
            try append(try scan.value(row: row, column: member.column), inner, to: &out)
        }
        out.append("}")
    }

    private func charge(_ context: ValueContext) throws(RealmError) {
        if context.isWalking { return try snapshot.chargeEmbeddedObject() }
        nestedBudget -= 1
        if nestedBudget < 0 {
            throw .corrupt("one object holds more than the file can", in: "embedded object")
        }
    }

    private func plan(_ target: LinkTarget, _ expansion: Expansion?) -> ObjectPlan {
        guard let expansion else {
            if let plan = target.plan { return plan }
            let plan = ObjectPlan(target.table.info, nil, style)
            target.plan = plan
            return plan
        }
        let key = PlanKey(table: target.table.info.key, expansion: ObjectIdentifier(expansion))
        if let plan = expandedPlans[key] { return plan }
        let plan = ObjectPlan(target.table.info, expansion, style)
        expandedPlans[key] = plan
        return plan
    }
}

// MARK: - Paths

extension JSONRenderer {
    /// Appends the values at the end of a path through lists or sets, as an array that is nested
    /// like the collections on the path.
    package func append(
        through value: Value, _ path: PathFollower, _ index: Int, _ context: ValueContext,
        to out: inout ByteBuffer
    ) throws(RealmError) {
        guard case .list(let view) = value.asList else { return out.append("null") }
        try checkDepth(context)
        out.append("[")
        let start = out.count
        var elements = snapshot.elements(of: view)
        while let element = try elements.next() {
            if out.count > start { out.append(",") }
            var next = index
            let value = try path.follow(element, from: &next)
            if next < path.count {
                try append(through: value, path, next, context.inside(context.expansion), to: &out)
            } else {
                try append(value, context.inside(context.expansion), to: &out)
            }
        }
        out.append("]")
    }
}
