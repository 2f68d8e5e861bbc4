/// Everything about a station that its keeper may choose. The values here are the defaults.
public struct StationSettings: Sendable, Equatable {
    public var general = General()
    public var position = Position()
    public var camera = Camera()
    public var postcards = Postcards()
    public var specimens = Specimens()
    public var metPetDB = MetPetDB()
    public var sesar = SESAR()
    public var courier = Courier()
    public var api = API()
    public var portal = Portal()
    public var muster = Muster()
    public var printing = Printing()
    public var trips = Trips()
    public var terrain = Terrain()
    public var fleet = Fleet()

    public init() {}
}
