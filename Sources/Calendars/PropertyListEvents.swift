internal import KonzaModel
internal import XMLReading

extension CalendarFile {
    /// Reads the events of a property list, as the Konza app had them: an array of dictionaries, or a dictionary whose key `Events` has
    /// that array. The keys of an event are `Title`, `Date`, and, where they are known, `End`, `Place`, `Details`, `Link`; a date is
    /// `<date>`, which is UTC, or a string in the station's time: `2026-05-30` for a whole day, `2026-05-30 14:00`.
    ///
    /// - Parameter bytes: a property list in XML, of at most 1 MiB.
    /// - Throws: ``CalendarError`` for what is none; an event that cannot be used is left out with a remark.
    public init(propertyList bytes: [UInt8]) throws(CalendarError) {
        guard !bytes.starts(with: "bplist".utf8) else {
            throw CalendarError("it is a binary property list; write it as XML: plutil -convert xml1 FILE")
        }
        var limits = XMLLimits()
        limits.bytes = 1 << 20
        limits.depth = 16
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLDocument.root(of: Self.withoutType(bytes), limits: limits)
        } catch {
            throw CalendarError("\(error)")
        }
        guard root.name == "plist", let top = root.children.first else {
            throw CalendarError("it is no property list: its first element is not plist")
        }
        let list = top.name == "dict" ? PropertyListEvent.members(top)["Events"] : top
        guard let list, list.name == "array" else {
            throw CalendarError("it has no list of events: write an array, or a dictionary with the key Events")
        }
        guard list.children.count <= CalendarReader.mostEvents else {
            throw CalendarError("it has more than \(CalendarReader.mostEvents) events; make two files of it")
        }
        var series: [EventSeries] = []
        var remarks: [CalendarRemark] = []
        for (index, element) in list.children.enumerated() {
            do throws(CalendarRefusal) {
                series.append(try PropertyListEvent.series(element))
            } catch  where remarks.count < CalendarReader.mostRemarks {
                remarks.append(
                    CalendarRemark(line: nil, detail: "event \(index + 1) is left out: \(error.reason)"))
            } catch {}
        }
        self.init(series: series, remarks: remarks)
    }

    /// The bytes with spaces in the place of a document type that only names one, as that of Apple's: such a one is not looked
    /// into. One with declarations stays, and is refused.
    private static func withoutType(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("<!DOCTYPE".utf8)
        guard let start = bytes.prefix(1024).indices.first(where: { bytes[$0...].starts(with: mark) }),
            let end = bytes[start...].prefix(512).firstIndex(of: UInt8(ascii: ">")),
            !bytes[start..<end].contains(UInt8(ascii: "["))
        else { return bytes }
        var result = bytes
        for index in start...end where bytes[index] != 0x0A { result[index] = 0x20 }
        return result
    }
}

/// One event of a property list.
private enum PropertyListEvent {
    static func members(_ dictionary: XMLElement) -> [String: XMLElement] {
        var members: [String: XMLElement] = [:]
        var key: String?
        for child in dictionary.children {
            if child.name == "key" {
                key = child.text
            } else if let name = key {
                members[name] = child
                key = nil
            }
        }
        return members
    }

    static func series(_ element: XMLElement) throws(CalendarRefusal) -> EventSeries {
        guard element.name == "dict" else { throw CalendarRefusal("it is no dictionary") }
        let members = members(element)
        func text(_ name: String, _ limit: Int, hasLines: Bool = false) -> String? {
            guard let element = members[name], element.name == "string" else { return nil }
            return CalendarText.clean(element.text, upTo: limit, hasLines: hasLines)
        }
        guard let title = text("Title", CalendarText.title) else { throw CalendarRefusal("it has no Title") }
        guard let date = members["Date"] else { throw CalendarRefusal("it has no Date") }
        let start = try time(date, "Date")
        var length = start.isDate ? EventTimes.Length.days(1) : .seconds(0)
        if let element = members["End"] {
            let end = try time(element, "End")
            guard end.isDate == start.isDate, end.isUTC == start.isUTC else {
                throw CalendarRefusal("End is not of the same form as Date")
            }
            guard end.local >= start.local, end.local - start.local <= 366 * Days.second else {
                throw CalendarRefusal("End is before Date, or more than a year behind it")
            }
            // Here the last day is part of the event, as people write it.
            length =
                start.isDate ? .days((end.local - start.local) / Days.second + 1) : .seconds(end.local - start.local)
        }
        let uid = "\(title)\u{1F}\(start.local)"
        return EventSeries(
            key: EventKey(uid: uid, replacing: nil), uid: uid,
            words: EventWords(
                title: title, place: text("Place", CalendarText.place),
                details: text("Details", CalendarText.details, hasLines: true),
                link: text("Link", 2000).flatMap(CalendarText.link)),
            isCancelled: false, isZoneAssumed: false,
            times: EventTimes(
                start: start.local, isAllDay: start.isDate, length: length, zone: start.isUTC ? .utc : nil))
    }

    /// `<date>2026-05-30T19:00:00Z</date>`, or a string in the station's time.
    private static func time(_ element: XMLElement, _ name: String) throws(CalendarRefusal) -> CalendarTime {
        let compact = element.text.filter { $0 != "-" && $0 != ":" }
        let refusal = CalendarRefusal(
            "\(name) is no date; write <date>2026-05-30T19:00:00Z</date> in UTC, or <string>2026-05-30 14:00</string> in the "
                + "station's time")
        do throws(CalendarRefusal) {
            switch element.name {
            case "date":
                let time = try CalendarTime(compact)
                guard time.isUTC else { throw refusal }
                return time
            case "string":
                let parts = compact.split(separator: " ")
                guard let day = parts.first, parts.count <= 2 else { throw refusal }
                guard parts.count == 2 else { return try CalendarTime(String(day)) }
                let time = parts[1].utf8.count == 4 ? "\(parts[1])00" : String(parts[1])
                return try CalendarTime("\(day)T\(time)")
            default: throw refusal
            }
        } catch { throw refusal }
    }
}
