import Foundation
import RealmSwift
import Testing

/// A class with properties of most kinds.
final class Node: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var weight: Double?
    @Persisted var data: Data
    @Persisted var anything: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var entries: Map<String, Int?>
    @Persisted var next: Node?
    @Persisted var nodes: List<Node>
    @Persisted var part: NodePart?
    @Persisted(originProperty: "next") var previous: LinkingObjects<Node>
}

final class NodePart: EmbeddedObject {
    @Persisted var size: Int
    @Persisted var labels: List<String>
}

/// Expected property values of a `Node`.
struct NodeModel: Equatable {
    var name = ""
    var weight: Double?
    var data = Data()
    var anything = AnyRealmValue.none
    var numbers: [Int] = []
    var words: Set<String> = []
    var entries: [String: Int?] = [:]
    var next: Int?
    var nodes: [Int] = []
    var part: (size: Int, labels: [String])?

    init() {}

    init(_ node: Node) {
        (name, weight, data) = (node.name, node.weight, node.data)
        (anything, next) = (node.anything, node.next?.id)
        (numbers, words) = (Array(node.numbers), Set(node.words))
        for (key, value) in node.entries.asKeyValueSequence() { entries[key] = .some(value) }
        nodes = node.nodes.map(\.id)
        part = node.part.map { ($0.size, Array($0.labels)) }
    }

    static func == (a: NodeModel, b: NodeModel) -> Bool {
        a.name == b.name && a.weight == b.weight && a.data == b.data && a.anything == b.anything
            && a.numbers == b.numbers && a.words == b.words && a.entries == b.entries
            && a.next == b.next && a.nodes == b.nodes && a.part?.size == b.part?.size
            && a.part?.labels == b.part?.labels
    }
}

/// Makes random changes to the objects of a realm, and the same changes to their expected content
/// in `models`.
struct ModelDrive {
    private(set) var models: [Int: NodeModel] = [:]
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func below(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }

    private mutating func someID() -> Int? {
        let ids = models.keys.sorted()
        return ids.isEmpty ? nil : ids[below(ids.count)]
    }

    /// Makes one change in the open write transaction.
    mutating func change(_ realm: Realm) {
        guard let id = someID(), below(8) > 0,
            let node = realm.object(ofType: Node.self, forPrimaryKey: id)
        else { return create(realm) }
        var model = models[id]!
        switch below(14) {
        case 0: return delete(node, realm)
        case 1, 2: setPlain(node, &model)
        case 3...5: setNumbers(node, &model)
        case 6, 7: setWords(node, &model)
        case 8, 9: setEntries(node, &model)
        case 10, 11: setLinks(node, &model, realm)
        default: setPart(node, &model)
        }
        models[id] = model
    }

    private mutating func create(_ realm: Realm) {
        let id = below(60)
        var model = models[id] ?? NodeModel()
        model.name = "node \(below(1000))"
        model.numbers = (0..<below(4)).map { $0 }
        let values: [String: Any] = ["id": id, "name": model.name, "numbers": model.numbers]
        realm.create(Node.self, value: values, update: below(2) == 0 ? .modified : .all)
        models[id] = model
    }

    private mutating func delete(_ node: Node, _ realm: Realm) {
        let id = node.id
        realm.delete(node)
        models[id] = nil
        for key in models.keys {
            if models[key]!.next == id { models[key]!.next = nil }
            models[key]!.nodes.removeAll { $0 == id }
        }
    }

    private mutating func setPlain(_ node: Node, _ model: inout NodeModel) {
        model.weight = below(3) == 0 ? nil : Double(below(100)) / 4
        model.data = Data((0..<below(200)).map { UInt8(truncatingIfNeeded: $0) })
        model.anything = below(2) == 0 ? .int(below(9)) : .string(model.name)
        (node.weight, node.data, node.anything) = (model.weight, model.data, model.anything)
    }

    private mutating func setNumbers(_ node: Node, _ model: inout NodeModel) {
        let value = below(1000)
        switch below(4) {
        case 0 where !model.numbers.isEmpty:
            let place = below(model.numbers.count)
            node.numbers.remove(at: place)
            model.numbers.remove(at: place)
        case 1 where !model.numbers.isEmpty:
            let place = below(model.numbers.count)
            node.numbers[place] = value
            model.numbers[place] = value
        default:
            let place = below(model.numbers.count + 1)
            node.numbers.insert(value, at: place)
            model.numbers.insert(value, at: place)
        }
    }

    private mutating func setWords(_ node: Node, _ model: inout NodeModel) {
        let word = "w\(below(12))"
        if below(3) == 0 {
            node.words.remove(word)
            model.words.remove(word)
        } else {
            node.words.insert(word)
            model.words.insert(word)
        }
    }

    private mutating func setEntries(_ node: Node, _ model: inout NodeModel) {
        let key = "k\(below(10))"
        switch below(4) {
        case 0:
            node.entries[key] = nil
            model.entries[key] = nil
        case 1:
            node.entries[key] = .some(nil)
            model.entries[key] = .some(nil)
        default:
            let value = below(100)
            node.entries[key] = value
            model.entries[key] = .some(value)
        }
    }

    private mutating func setLinks(_ node: Node, _ model: inout NodeModel, _ realm: Realm) {
        let other = someID()!
        let target = realm.object(ofType: Node.self, forPrimaryKey: other)
        if below(2) == 0 {
            model.next = below(4) == 0 ? nil : other
            node.next = model.next == nil ? nil : target
        } else if let target {
            node.nodes.append(target)
            model.nodes.append(other)
        }
    }

    private mutating func setPart(_ node: Node, _ model: inout NodeModel) {
        guard below(4) > 0 else {
            (node.part, model.part) = (nil, nil)
            return
        }
        let labels = (0..<below(4)).map { "label \($0)" }
        let part = NodePart(value: ["size": below(100), "labels": labels] as [String: Any])
        model.part = (part.size, labels)
        node.part = part
    }

    /// Checks that the stored objects have the expected content.
    func check(_ realm: Realm) {
        let all = realm.objects(Node.self)
        #expect(Set(all.map(\.id)) == Set(models.keys))
        for node in all { #expect(NodeModel(node) == models[node.id], "node \(node.id)") }
        let heavy = models.values.count { ($0.weight ?? 0) > 10 }
        #expect(all.where { $0.weight > 10 }.count == heavy)
        for node in all {
            let linking = models.filter { $0.value.next == node.id }.keys
            #expect(Set(node.previous.map(\.id)) == Set(linking))
        }
    }
}

@Suite struct TypedModelTests {
    /// Objects behave like dictionaries, arrays and sets, over transactions that are rolled back
    /// and realms that are opened again.
    @Test func objectsEqualDictionariesOverTransactions() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("objectsEqualDictionariesOverTransactions: seed \(seed)")
        let lab = try RealmLab([Node.self, NodePart.self])
        var drive = ModelDrive(seed: seed)
        for round in 0..<25 {
            try autoreleasepool {
                let realm = try lab.open()
                let before = drive
                realm.beginWrite()
                for _ in 0..<20 { drive.change(realm) }
                drive.check(realm)
                if round % 7 == 6 {
                    realm.cancelWrite()
                    drive = before.continuing(on: drive)
                } else {
                    try realm.commitWrite()
                }
                drive.check(realm)
                if round % 5 == 0 { drive.check(realm.freeze()) }
            }
        }
        try lab.check()
    }
}

extension ModelDrive {
    /// Returns a drive with the expected content of this drive and the random state of `other`.
    fileprivate func continuing(on other: ModelDrive) -> ModelDrive {
        var drive = other
        drive.models = models
        return drive
    }
}
