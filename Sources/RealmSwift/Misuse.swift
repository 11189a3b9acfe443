/// Every misuse of the API ends here (API specification D6): a mistake of the program that nobody
/// could go on after, because the call it was made with cannot throw.
func throwRealmException(_ reason: String) -> Never { fatalError(reason) }
