import RealmSwift

extension News {
    /// Observes an object and notes its changed properties.
    func token<T: Object>(_ object: T, _ name: String) -> NotificationToken {
        object.observe { [self] (change: ObjectChange<T>) in note(change, name) }
    }

    func token<T: EmbeddedObject>(_ object: T, _ name: String) -> NotificationToken {
        object.observe { [self] (change: ObjectChange<T>) in note(change, name) }
    }

    private func note<T>(_ change: ObjectChange<T>, _ name: String) {
        switch change {
        case .change(_, let properties):
            for property in properties { note("\(name) \(property.name)") }
        case .deleted: note("\(name) deleted")
        case .error: note("\(name) error")
        }
    }

    /// Observes a collection and notes the positions of each change.
    func token<C: RealmCollection>(_ collection: C, _ name: String) -> NotificationToken {
        collection.observe { [self] change in
            switch change {
            case .initial: note("\(name) initial")
            case .update(_, let deletions, let insertions, let modifications):
                note("\(name) -\(deletions) +\(insertions) *\(modifications)")
            case .error: note("\(name) error")
            }
        }
    }

    /// Observes a map and notes the keys of each change.
    func token<Value>(_ map: Map<String, Value>, _ name: String) -> NotificationToken {
        map.observe { [self] change in
            switch change {
            case .initial: note("\(name) initial")
            case .update(_, let deletions, let insertions, let modifications):
                note("\(name) -\(deletions) +\(insertions) *\(modifications)")
            case .error: note("\(name) error")
            }
        }
    }
}
