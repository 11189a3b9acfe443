/// Results made of other results, of collections and of links.
extension ObjectResults {
    /// Those that `query` yields too: its condition is one more, and what is written behind it happens
    /// after what happened before. Throws `misuse` for a query that does not fit the class, and for a
    /// condition behind a limit.
    package func filtered(_ query: Query) throws(RealmError) -> ObjectResults {
        let fresh = ObjectResults(objects, try definition.adding(query), nil)
        try fresh.check(query)
        return fresh
    }

    /// Sorted, without objects that repeat others, or only the first so many. A sort behind another
    /// counts more than that one. Throws as `filtered` does.
    package func arranged(
        _ clause: QueryClause, aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) -> ObjectResults {
        try filtered(Query(.always(true), [clause], aliases: aliases))
    }

    /// Those that a list, set or dictionary of links leads to, in its order. `objects` are those of the
    /// class linked to, of the same instance.
    ///
    /// Throws `misuse` for a property that has no such collection.
    package convenience init(
        _ objects: ObjectClass, in collection: CollectionHandle
    ) throws(RealmError) {
        let property = collection.owner.objects.properties[collection.property]
        guard property.type == .link, property.collection != nil, collection.steps.isEmpty,
            property.target == objects.key, collection.owner.objects.instance === objects.instance
        else {
            throw .misuse(
                "'\(property.name)' is no collection of links to this class", code: "TypeMismatch")
        }
        self.init(
            objects,
            ResultsDefinition(
                objects.key, from: .collection(collection.owner.link, property.key)), nil)
    }

    /// The objects of the class that link to `target`, of the same instance, by `property`, once for
    /// each link. Throws `misuse` for a property that leads elsewhere.
    package convenience init(
        _ objects: ObjectClass, linkingTo target: ObjectHandle, by property: Int
    ) throws(RealmError) {
        let info = objects.properties[property]
        guard info.type == .link, info.target == target.objects.key,
            target.objects.instance === objects.instance
        else {
            throw .misuse("'\(info.name)' does not link to this class", code: "TypeMismatch")
        }
        self.init(
            objects,
            ResultsDefinition(objects.key, from: .linking(to: target.link, by: info.key)), nil)
    }

    // MARK: Elsewhere

    /// The same results as a thing to be carried to another place, or observed.
    package var confined: Confined { Confined(instance, .results(definition)) }

    /// Observes the results; see `Instance.observe(table:)`. When `block` is called they hold what the
    /// observer found, and are not looked for again. They are kept until the observation ends.
    package func observe(
        _ filter: ChangeFilter? = nil, _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        try instance.observe(results: definition, filter, showing: self, block)
    }

    /// The results that a handle led to, or a frozen view; nil for a thing of another kind, and when
    /// the class is gone.
    convenience init?(_ confined: Confined) {
        guard case .results(let definition) = confined.target,
            let objects = ObjectClass(confined.instance, definition.table)
        else { return nil }
        self.init(objects, definition, nil)
    }

    /// The results as they are in this version, to be used anywhere. What was found already is not
    /// looked for again. Throws `incompatible` when the lock file is damaged.
    func freeze() throws(RealmError) -> ObjectResults {
        if isFrozen { return self }
        let frozen = try instance.freeze()
        guard let objects = ObjectClass(frozen, definition.table) else {
            throw .misuse("The class has been removed from the file.", code: "NoSuchTable")
        }
        return ObjectResults(objects, definition, foundNow)
    }

    /// The live results for the place that asks; nil when the class is gone.
    func thaw(on confinement: Confinement = .thread) throws(RealmError) -> ObjectResults? {
        let live = try instance.thaw(on: confinement)
        if live === instance { return self }
        return ObjectResults(Confined(live, .results(definition)))
    }
}
