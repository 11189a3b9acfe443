/// Results derived from other results, collections and links.
extension ObjectResults {
    /// Returns these results restricted by `query`. Its condition is combined by AND; its SORT,
    /// DISTINCT and LIMIT apply after the existing clauses.
    ///
    /// Throws `misuse` for a query that does not fit the class, and for a condition after a limit.
    package func filtered(_ query: Query) throws(RealmError) -> ObjectResults {
        let fresh = ObjectResults(objects, try definition.adding(query), nil)
        try fresh.check(query)
        return fresh
    }

    /// Returns these results with one more SORT, DISTINCT or LIMIT. A later sort takes precedence
    /// over an earlier one. Throws the errors of `filtered`.
    package func arranged(
        _ clause: QueryClause, aliases: KeyPathAliases = KeyPathAliases()
    ) throws(RealmError) -> ObjectResults {
        try filtered(Query(.always(true), [clause], aliases: aliases))
    }

    /// Makes results of the objects in a list, set or dictionary of links, in its order. `objects`
    /// is the target class in the same instance.
    ///
    /// Throws `misuse` for a property that is no such collection.
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

    /// Makes results of the objects of the class whose property `property` links to `target`, an
    /// object of the same instance. An object appears once per link. Throws `misuse` if the
    /// property links to another class.
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

    // MARK: Confinement and observation

    /// Reference to the results for another context or an observer.
    package var confined: Confined { Confined(instance, .results(definition)) }

    /// Observes the results; see `Instance.observe(table:)`. The objects that the observer found
    /// become the content of the results before `block` is called. Retains the results until the
    /// observation ends.
    package func observe(
        _ filter: ChangeFilter? = nil, _ block: @escaping (CollectionNotice) -> Void
    ) throws(RealmError) -> ObservationToken {
        try instance.observe(results: definition, filter, showing: self, block)
    }

    /// Makes the results to which `confined` refers. Nil if it refers to something else, or if the
    /// class was removed.
    convenience init?(_ confined: Confined) {
        guard case .results(let definition) = confined.target,
            let objects = ObjectClass(confined.instance, definition.table)
        else { return nil }
        self.init(objects, definition, nil)
    }

    /// Returns these results in the current version, for use on any thread. If they are evaluated
    /// already, the frozen results share the objects. Throws `incompatible` if the lock file is
    /// damaged.
    func freeze() throws(RealmError) -> ObjectResults {
        if isFrozen { return self }
        let frozen = try instance.freeze()
        guard let objects = ObjectClass(frozen, definition.table) else {
            throw .misuse("The class has been removed from the file.", code: "NoSuchTable")
        }
        return ObjectResults(objects, definition, foundNow)
    }

    /// Returns the live results for a context; nil if the class was removed.
    func thaw(on confinement: Confinement = .thread) throws(RealmError) -> ObjectResults? {
        let live = try instance.thaw(on: confinement)
        if live === instance { return self }
        return ObjectResults(Confined(live, .results(definition)))
    }
}
