/// Something that all clients take from one store, and that none can take from all the others: an amount is given
/// while its account holds no more with it than is left for everybody else. The first account comes to a half of the
/// whole, the next to a half of the rest, and so on: who comes after them still finds some. (A dynamic threshold as in
/// the buffers of switches: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6 (2), 1998, with the factor 1.)
public struct FairShares: Sendable {
    /// What there is to share.
    public let capacity: Int
    /// What all accounts hold.
    public private(set) var taken = 0
    private var takenByAccount: [Account: Int] = [:]

    /// Shares of so much.
    public init(capacity: Int) { self.capacity = capacity }

    /// What an account holds.
    public func held(by account: Account) -> Int { takenByAccount[account, default: 0] }

    /// Takes an amount if it is within the account's share.
    ///
    /// - Returns: whether it was taken.
    public mutating func takeFairly(_ amount: Int, for account: Account) -> Bool {
        guard amount <= capacity, held(by: account) + amount <= capacity - taken - amount else { return false }
        return take(amount, for: account)
    }

    /// Takes an amount whatever the account's share is, if all accounts then hold no more than the limit.
    ///
    /// - Returns: whether it was taken.
    public mutating func take(_ amount: Int, for account: Account, upTo limit: Int = .max) -> Bool {
        guard taken <= limit - amount else { return false }
        taken += amount
        takenByAccount[account, default: 0] += amount
        return true
    }

    /// Gives back what was taken.
    public mutating func giveBack(_ amount: Int, of account: Account) {
        taken -= amount
        let left = held(by: account) - amount
        takenByAccount[account] = left > 0 ? left : nil
    }
}
