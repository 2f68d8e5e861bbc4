/// Something that all users take from one store, and that no user can take from all the others: an amount is given
/// while its user holds no more with it than is left for everybody else. The first user comes to a half of the
/// whole, the next to a half of the rest, and so on: who comes after them still finds some. (A dynamic threshold as in
/// the buffers of switches: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998, with the factor 1.)
public struct FairShares: Sendable {
    /// What there is to share.
    public let capacity: Int
    /// What all users hold.
    public private(set) var taken = 0
    private var takenByUser: [UInt32: Int] = [:]

    /// Shares of so much.
    public init(capacity: Int) { self.capacity = capacity }

    /// What a user holds.
    public func held(by user: UInt32) -> Int { takenByUser[user, default: 0] }

    /// Takes an amount if it is within the user's share.
    ///
    /// - Returns: whether it was taken.
    public mutating func takeFairly(_ amount: Int, for user: UInt32) -> Bool {
        guard amount <= capacity, held(by: user) + amount <= capacity - taken - amount else { return false }
        return take(amount, for: user)
    }

    /// Takes an amount whatever the user's share is, if all users then hold no more than the limit.
    ///
    /// - Returns: whether it was taken.
    public mutating func take(_ amount: Int, for user: UInt32, upTo limit: Int = .max) -> Bool {
        guard taken <= limit - amount else { return false }
        taken += amount
        takenByUser[user, default: 0] += amount
        return true
    }

    /// Gives back what was taken.
    public mutating func giveBack(_ amount: Int, of user: UInt32) {
        taken -= amount
        let left = held(by: user) - amount
        takenByUser[user] = left > 0 ? left : nil
    }
}
