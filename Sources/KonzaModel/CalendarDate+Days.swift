extension CalendarDate {
    /// The day so many days later, or earlier for a negative number; nil before the year 1 and after 9999.
    public func advanced(byDays days: Int) -> CalendarDate? {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return overflow ? nil : CalendarDate(dayNumber: sum)
    }

    /// Days since 1 March of the year 0: with years that begin in March a leap day is a year's last, and 153 days are
    /// five months from any March, August or January.
    private var dayNumber: Int {
        let shifted = (month + 9) % 12
        let year = month > 2 ? self.year : self.year - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 + day - 1
    }

    private init?(dayNumber: Int) {
        // 1 January of the year 1, and 31 December 9999.
        guard (306...3_652_364).contains(dayNumber) else { return nil }
        let era = dayNumber / 146_097
        let dayOfEra = dayNumber % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
