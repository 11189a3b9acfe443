/// Changes of many members of a set. The set is either edited member by member or rebuilt,
/// whichever is cheaper.
extension WriteTransaction {
    /// Divisor of a set's member count. A set is rebuilt if at least one in so many members
    /// changes.
    private static let rebuildingRatio = 8

    /// Removes the elements at the stored indexes `positions`, which must ascend.
    func removeMembers(at positions: [Int], from place: CollectionLocation) throws(RealmError) {
        if positions.isEmpty { return }
        let edit = try collection(at: place)
        let set = try edit.set()
        guard positions.count >= set.count / Self.rebuildingRatio else {
            for position in positions.reversed() {
                try edit.taking(position, of: set)
                try set.remove(at: position)
                try edit.finish(.erase(position))
            }
            return
        }
        for position in positions { try edit.taking(position, of: set) }
        let rest = try SequenceEditor(context, root: .none, element: set.element)
        var (index, next) = (0, 0)
        try set.visit { (value) throws(RealmError) in
            if next < positions.count, positions[next] == index {
                next += 1
            } else {
                try rest.append(value)
            }
            index += 1
        }
        try edit.replace(with: rest, positions.reversed().lazy.map { .erase($0) })
    }

    /// Inserts elements that the set does not contain. Each index is the element's index after all
    /// insertions; the indexes must ascend.
    func insertMembers(
        _ members: [(index: Int, value: Value)], into place: CollectionLocation
    ) throws(RealmError) {
        if members.isEmpty { return }
        let edit = try collection(at: place)
        let set = try edit.set()
        for member in members { try edit.check(member.value) }
        guard members.count >= set.count / Self.rebuildingRatio else {
            for member in members {
                try set.insert(try edit.putting(member.value), at: member.index)
                try edit.finish(.insert(member.index))
            }
            return
        }
        let all = try SequenceEditor(context, root: .none, element: set.element)
        var next = 0
        func appendMembers() throws(RealmError) {
            while next < members.count, members[next].index == all.count {
                try all.append(try edit.putting(members[next].value))
                next += 1
            }
        }
        try set.visit { (value) throws(RealmError) in
            try appendMembers()
            try all.append(value)
        }
        try appendMembers()
        try edit.replace(with: all, members.lazy.map { .insert($0.index) })
    }
}
