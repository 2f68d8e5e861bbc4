extension Splicer {
    /// Copies units that the overlay does not touch.
    mutating func copy(units: Int) throws(SpliceFault) {
        guard units > 0 else { return }
        let rest = try units - correctLevels()
        guard rest > 0 else { return }
        var source = reader
        try skip(units: rest)
        source.copy(reader.consumed - source.consumed, to: &output.bits)
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

    /// Takes units and keeps nothing but their DC.
    private mutating func skip(units: Int) throws(SpliceFault) {
        var reader = reader
        var levels = levels
        let listed = plan.coding.roles
        let roles = listed.span
        for _ in 0..<units {
            for index in roles.indices {
                let role = roles[index]
                levels[role.component] &+= try reader.difference(role.dc)
                try reader.skipCoefficients(role.ac)
            }
            if reader.isOverrun { throw .broken(offset: reader.position) }
        }
        self.reader = reader
        self.levels = levels
    }

    private func checkEnd() throws(SpliceFault) {
        if reader.isOverrun { throw .broken(offset: reader.position) }
    }

    /// Stamps a unit that the overlay touches.
    mutating func stamp(_ place: Int) throws(SpliceFault) {
        var room = ZeroRuns()
        try stamp(place, zeroRuns: ZeroRuns(), room: &room)
    }

    /// Stamps a unit that the overlay touches.
    ///
    /// - Parameters:
    ///   - place: Of the unit in the plan.
    ///   - zeroRuns: To be added at the ends of its blocks.
    ///   - room: How many could be.
    /// - Throws: `SpliceFault`.
    mutating func stamp(_ place: Int, zeroRuns: ZeroRuns, room: inout ZeroRuns) throws(SpliceFault) {
        let listed = plan.coding.roles
        let roles = listed.span
        let first = place * plan.touched.blocksPerUnit
        for number in roles.indices {
            let role = roles[number]
            let index = plan.touched.blocks[first + number]
            let runs = zeroRuns[number]
            switch index {
            case TouchedUnits.untouched:
                try copyBlock(role)
            case TouchedUnits.filling:
                try skipBlock(role)
                try output.putFilling(zeroRuns: runs, role)
                room[number] = ZeroRuns.room(after: 0)
            default:
                let last = try stampBlock(Int(index), role, zeroRuns: runs)
                room[number] = ZeroRuns.room(after: last)
            }
        }
        try checkEnd()
    }

    private mutating func stampBlock(
        _ index: Int, _ role: ScanCoding.Role, zeroRuns: Int
    ) throws(SpliceFault) -> Int {
        if plan.ink.components[role.component].blocks[index].isOpaque {
            try skipBlock(role)
            let coded = plan.coded.blocks[role.component][index]
            try output.put(opaque: coded, zeroRuns: zeroRuns, plan.coded, role)
            return Int(coded.last)
        }
        var block = InlineArray<64, Int16>(repeating: 0)
        try takeLevel(role)
        block[0] = Int16(truncatingIfNeeded: levels[role.component])
        try reader.coefficients(role.ac, into: &block)
        let blended = plan.ink.components[role.component].blended(
            IntegerBlock(block), index: index, by: plan.blenders[role.component])
        return try output.put(blended, zeroRuns: zeroRuns, role)
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
        source.copy(reader.consumed - source.consumed, to: &output.bits)
        output.levels[role.component] = levels[role.component]
    }
}
