extension String {
    /// This sentence's body as a whole NMEA 0183 sentence: `$`, the body, and the exclusive or of its bytes.
    public var nmea: String {
        let sum = utf8.reduce(0, ^)
        return "$\(self)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true)
    }
}
