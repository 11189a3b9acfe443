import RealmSwift

/// Measures the cost of an element in lists, sets and maps of `count` integers.
func collections(_ realm: Realm, _ count: Int) throws {
    let numbers = Numbers()
    try realm.write { realm.add(numbers) }
    try realm.write {
        let (list, set, map) = (numbers.list, numbers.set, numbers.map)
        let append = best(count, after: { list.removeAll() }) {
            for i in 0..<count { list.append(i &* 7919 % count) }
        }
        line("append to a List<Int>", append)
        line("set an element at random", best(count) { for i in 0..<count { list[list[i]] = i } })
        let insert = best(count, after: { set.removeAll() }) {
            for i in 0..<count { set.insert(i &* 7919 % count) }
        }
        line("insert into a MutableSet<Int>", insert)
        let union = best(count, after: { numbers.other.removeAll() }) {
            numbers.other.formUnion(set)
        }
        line("form a union, a member", union)
        let keys = (0..<count).map { "key \($0 &* 7919 % count)" }
        let store = best(count, after: { map.removeAll() }) { for key in keys { map[key] = 1 } }
        line("store into a Map<String, Int>", store)
        line("overwrite in a map", best(count) { for key in keys { map[key] = 2 } })
        line("read from a map", best(count) { for key in keys { use(map[key]) } })
    }
    readCollections(numbers, count)
}

private func readCollections(_ numbers: Numbers, _ count: Int) {
    let list = numbers.list
    line("sum of a List<Int>, an element", best(count) { use(list.sum()) })
    line("min of a List<Int>, an element", best(count) { use(list.min()) })
    line("max of a List<Int>, an element", best(count) { use(list.max()) })
    line("index(of:) without a hit, an element", best(count) { use(list.index(of: -1)) })
    line(
        "iterate a List<Int>",
        best(count) {
            var sum = 0
            for number in list { sum &+= number }
            use(sum)
        })
    line(
        "read a List<Int> by index",
        best(count) {
            var sum = 0
            for i in 0..<count { sum &+= list[i] }
            use(sum)
        })
    line("isSubset, a member", best(count) { use(numbers.set.isSubset(of: numbers.other)) })
    line("contains", best(count) { for i in 0..<count { use(numbers.set.contains(i)) } })
}
