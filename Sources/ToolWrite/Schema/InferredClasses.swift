import RealmEngine

/// The classes that the records need, and the existing classes of the database, by name.
struct InferredClasses {
    private(set) var specs: [ClassSpec] = []
    private var positions: [String: Int] = [:]
    private let known: [ClassSpec]
    private let knownPositions: [String: Int]

    init(_ present: [ClassSpec]) {
        known = present
        knownPositions = Dictionary(
            present.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the existing class called `name`; nil if there is none.
    func present(_ name: String) -> ClassSpec? { knownPositions[name].map { known[$0] } }

    /// Adds a class inferred from the objects at one position of the records, such as the records
    /// themselves or their member `address`. If the class exists already, adds its missing
    /// properties as optional ones.
    mutating func merge(_ spec: ClassSpec) {
        guard let i = positions[spec.name] else {
            positions[spec.name] = specs.count
            return specs.append(spec)
        }
        for property in spec.properties where specs[i].property(property.name) == nil {
            var optional = property
            if optional.mayChoosePresence { optional.isOptional = true }
            specs[i].append(optional)
        }
    }
}
