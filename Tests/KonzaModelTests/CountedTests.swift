import KonzaModel
import Testing

@Suite("A count with its noun")
struct CountedTests {
    @Test("is singular for one alone", arguments: [0, 1, 2, 21, -1])
    func numbers(number: Int) {
        #expect(counted(number, "gap") == (number == 1 ? "1 gap" : "\(number) gaps"))
        #expect(counted(number, "fix", "fixes") == (number == 1 ? "1 fix" : "\(number) fixes"))
    }
}
