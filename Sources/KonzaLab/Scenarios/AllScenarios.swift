extension Scenario {
    /// Every scenario, in the order in which they run: one array for each file of this folder.
    public static let all: [Scenario] =
        package + camera + position + storage + clock + service + courier + fleet + process + soak + api + power
        + kiosk + packageChanges
}
