extension StandInStore {
    /// The servlet of the 2010 telephone app is not here yet.
    func legacy(_ request: StandInRequest) -> StandInAnswer { .page(404) }
}
