import ContactCards

// A libFuzzer target over the reader of vCards: what it takes is written and read again.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(CardError) {
        for card in try ContactCards(unsafe input(bytes, count)).cards {
            let again = try ContactCards(Array(card.vCard.utf8))
            guard again.cards.count == 1, again.cards[0].phones.count == card.phones.count else {
                fail("a written card is not read")
            }
            guard card.phones.allSatisfy({ $0.address?.hasPrefix("tel:+") ?? true }) else {
                fail("a number that is none")
            }
        }
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
