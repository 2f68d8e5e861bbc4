/// The last DC value of each component, from which the next is coded as a difference (T.81 F.1.1.5.1).
struct Levels: Equatable {
    private var values = InlineArray<4, Int>(repeating: 0)

    subscript(component: Int) -> Int {
        @inline(__always) get { values[component] }
        @inline(__always) set { values[component] = newValue }
    }

    static func == (left: Levels, right: Levels) -> Bool {
        left.values[0] == right.values[0] && left.values[1] == right.values[1] && left.values[2] == right.values[2]
            && left.values[3] == right.values[3]
    }
}
