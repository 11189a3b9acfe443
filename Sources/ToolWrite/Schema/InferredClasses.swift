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

    /// Adds the properties of objects that occur at one position of the records. Objects at several
    /// positions may have the same class.
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
