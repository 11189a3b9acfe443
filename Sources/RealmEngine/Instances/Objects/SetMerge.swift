/// Visits the members of two sets in their common order. Each leaf of both sets is read once. Skips
/// unresolved links.
struct SetMerge {
    private var left: Members
    private var right: Members

    /// Whether the left set, the right set, or both contain a member.
    enum Side { case left, right, both }

    private struct Members {
        private var cursor: ElementCursor
        /// The current member; nil at the end.
        private(set) var value: Value?
        /// Index of the current member among the stored elements of the set.
        private(set) var index = -1

        init(_ cursor: ElementCursor) throws(RealmError) {
            self.cursor = cursor
            try advance()
        }

        mutating func advance() throws(RealmError) {
            repeat {
                value = try cursor.nextStored()
                index += 1
            } while value?.isUnresolvedLink == true
        }
    }

    init(_ left: ElementCursor, _ right: ElementCursor) throws(RealmError) {
        self.left = try Members(left)
        self.right = try Members(right)
    }

    /// Calls `body` with each member until it returns false. The index is the member's position
    /// among the stored elements of the left set. If only the right set contains the member, it is
    /// the position at which the left set would store it.
    mutating func visit(
        _ body: (Side, Int, Value) throws(RealmError) -> Bool
    ) throws(RealmError) {
        while true {
            let side: Side
            let value: Value
            switch (left.value, right.value) {
            case (nil, nil): return
            case (let a?, nil): (side, value) = (.left, a)
            case (nil, let b?): (side, value) = (.right, b)
            case (let a?, let b?):
                let order = SetOrder.compare(a, b)
                side = order < 0 ? .left : order > 0 ? .right : .both
                value = order > 0 ? b : a
            }
            if try !body(side, left.index, value) { return }
            if side != .right { try left.advance() }
            if side != .left { try right.advance() }
        }
    }
}
