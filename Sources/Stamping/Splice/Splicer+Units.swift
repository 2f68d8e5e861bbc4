extension Splicer {
    /// Copies units that the overlay does not touch.
    mutating func copy(units: Int) throws(SpliceFault) {
        guard units > 0 else { return }
        let rest = try units - correctLevels()
        guard rest > 0 else { return }
        var source = reader
        let roles = plan.coding.roles
        try reader.skip(units: rest, roles.span, &levels)
        source.copy(to: reader, &output.bits)
        output.levels = levels
    }

    /// Copies one unit with its DC differences coded anew, if the DC values before it changed.
    ///
    /// - Returns: How many units were copied, 0 or 1.
    mutating func correctLevels() throws(SpliceFault) -> Int {
        guard levels != output.levels else { return 0 }
        for role in plan.coding.roles { try copyBlock(role) }
        try checkEnd()
        return 1
    }

    private func checkEnd() throws(SpliceFault) {
        if reader.isOverrun { throw .broken(offset: reader.position) }
    }

    /// Stamps units that the overlay touches, one after another.
    mutating func stamp(_ places: Range<Int>) throws(SpliceFault) {
        var room = ZeroRuns()
        // Borrowed here once: each way through the plan counts references.
        let plan = plan
        let (listed, all, touched) = (plan.coding.roles, plan.inks, plan.touched)
        let (roles, inks, units, blocks) = (listed.span, all.span, touched.units.span, touched.blocks.span)
        let coded = plan.coded
        var place = places.lowerBound
        while place < places.upperBound {
            // A run begins with a hidden unit.
            guard units[place].isOpaque, let run = coded.runs[place], place + run.count < places.upperBound else {
                try stamp(place, zeroRuns: ZeroRuns(), room: &room, roles, inks, blocks, coded)
                place += 1
                continue
            }
            let hidden = place..<(place + run.count + 1)
            try reader.skip(units: hidden.count, roles, &levels)
            try output.put(opaqueUnits: hidden, plan.touched, plan.coding, plan.coded)
            place = hidden.upperBound
        }
    }

    /// Stamps a unit that the overlay touches.
    ///
    /// - Parameters:
    ///   - place: Of the unit in the plan.
    ///   - zeroRuns: To be added at the ends of its blocks.
    ///   - room: How many could be.
    /// - Throws: `SpliceFault`.
    mutating func stamp(_ place: Int, zeroRuns: ZeroRuns, room: inout ZeroRuns) throws(SpliceFault) {
        let plan = plan
        let (listed, all, touched) = (plan.coding.roles, plan.inks, plan.touched)
        try stamp(
            place, zeroRuns: zeroRuns, room: &room, listed.span, all.span, touched.blocks.span, plan.coded)
    }

    private mutating func stamp(
        _ place: Int, zeroRuns: ZeroRuns, room: inout ZeroRuns, _ roles: Span<ScanCoding.Role>,
        _ inks: Span<SplicePlan.Ink>, _ blocks: Span<Int32>, _ coded: borrowing CodedInk
    ) throws(SpliceFault) {
        let first = place * roles.count
        for number in roles.indices {
            let role = roles[number]
            switch blocks[first + number] {
            case TouchedUnits.untouched:
                try copyBlock(role)
            case TouchedUnits.filling:
                try skipBlock(role)
                try output.putFilling(zeroRuns: zeroRuns[number], role)
                room[number] = ZeroRuns.room(after: 0)
            case let index:
                let last: Int
                if inks[role.component].component.isOpaque(Int(index)) {
                    try skipBlock(role)
                    last = try output.put(
                        opaque: coded.blocks[role.component][Int(index)], zeroRuns: zeroRuns[number], coded, role)
                } else {
                    var block = try takeBlock(role)
                    let mask = inks[role.component].blend(&block, Int(index))
                    last = try output.put(block, mask, zeroRuns: zeroRuns[number], role)
                }
                room[number] = ZeroRuns.room(after: last)
            }
        }
        try checkEnd()
    }

    /// Takes a block.
    private mutating func takeBlock(_ role: ScanCoding.Role) throws(SpliceFault) -> Coefficients {
        try takeLevel(role)
        var block = Coefficients(repeating: 0)
        block[0] = Int16(truncatingIfNeeded: levels[role.component])
        try reader.coefficients(role.ac, into: &block)
        return block
    }

    /// Takes the DC of a block.
    @inline(__always) private mutating func takeLevel(_ role: ScanCoding.Role) throws(SpliceFault) {
        let level = levels[role.component] &+ (try reader.difference(role.dc))
        // A sound picture stays within 12 bits. Beyond 16, readers differ.
        guard (-32768...32767).contains(level) else { throw .broken(offset: reader.position) }
        levels[role.component] = level
    }

    private mutating func skipBlock(_ role: ScanCoding.Role) throws(SpliceFault) {
        try takeLevel(role)
        try reader.skipCoefficients(role.ac)
    }

    /// Copies a block with its DC difference coded anew if it changed; its AC bits stay.
    private mutating func copyBlock(_ role: ScanCoding.Role) throws(SpliceFault) {
        var source = reader
        let before = levels[role.component]
        let outBefore = output.levels[role.component]
        try takeLevel(role)
        if before != outBefore {
            try output.put(level: levels[role.component], role)
            source = reader
        }
        try reader.skipCoefficients(role.ac)
        source.copy(to: reader, &output.bits)
        output.levels[role.component] = levels[role.component]
    }
}
