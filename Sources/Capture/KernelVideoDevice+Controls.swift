internal import CV4L2
internal import Glibc
internal import KonzaSystem

extension KernelVideoDevice {
    func controls() throws(SystemError) -> [ControlDescription] {
        var found: [ControlDescription] = []
        var previous: UInt32 = 0
        while found.count < 512 {
            var query = v4l2_query_ext_ctrl()
            query.id = previous | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
            guard unsafe konza_v4l2_ioctl(descriptor, KONZA_VIDIOC_QUERY_EXT_CTRL, &query) != -1 else {
                // EINVAL ends the list; ENOTTY comes from a driver without controls.
                if errno == EINVAL || errno == ENOTTY { break }
                throw SystemError("list the controls of \(path)")
            }
            guard query.id > previous else { break }
            previous = query.id
            if let control = describe(query) { found.append(control) }
        }
        return found
    }

    private func describe(_ query: v4l2_query_ext_ctrl) -> ControlDescription? {
        guard query.type != V4L2_CTRL_TYPE_CTRL_CLASS.rawValue, query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0
        else { return nil }
        let kind = ControlDescription.Kind(driverType: query.type, elements: query.elems)
        return ControlDescription(
            id: query.id, name: controlName(from: text(of: query.name)), kind: kind, minimum: query.minimum,
            maximum: query.maximum, step: Int64(clamping: query.step), defaultValue: query.default_value,
            isReadOnly: query.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0,
            isInactive: query.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE) != 0,
            isWriteOnly: query.flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) != 0 || kind == .button,
            items: items(of: query, kind))
    }

    private func items(of query: v4l2_query_ext_ctrl, _ kind: ControlDescription.Kind) -> [Int64: String] {
        guard kind == .menu || kind == .integerMenu, query.minimum >= 0, query.maximum < 256,
            query.minimum <= query.maximum
        else { return [:] }
        var items: [Int64: String] = [:]
        for value in query.minimum...query.maximum {
            // Items may be missing within the range.
            var label = [CChar](repeating: 0, count: 32)
            var number: Int64 = 0
            let isNumber: Int32 = kind == .integerMenu ? 1 : 0
            guard unsafe konza_v4l2_menu_item(descriptor, query.id, UInt32(value), isNumber, &label, &number) == 0
            else { continue }
            items[value] =
                isNumber == 1
                ? "\(number)" : String(decoding: label.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return items
    }

    func value(of control: ControlDescription) throws(SystemError) -> Int64 {
        var value: Int64 = 0
        let wide: Int32 = control.kind == .wideInteger ? 1 : 0
        guard unsafe konza_v4l2_get_control(descriptor, control.id, wide, &value) == 0 else {
            throw SystemError("read the control \(control.name) of \(path)")
        }
        return value
    }

    func setValue(_ value: Int64, of control: ControlDescription) throws(SystemError) {
        let wide: Int32 = control.kind == .wideInteger ? 1 : 0
        guard konza_v4l2_set_control(descriptor, control.id, wide, value) == 0 else {
            throw SystemError("set the control \(control.name) of \(path)")
        }
    }
}

extension ControlDescription.Kind {
    init(driverType type: UInt32, elements: UInt32) {
        guard elements <= 1 else {
            self = .other
            return
        }
        switch type {
        case V4L2_CTRL_TYPE_INTEGER.rawValue: self = .integer
        case V4L2_CTRL_TYPE_INTEGER64.rawValue: self = .wideInteger
        case V4L2_CTRL_TYPE_BOOLEAN.rawValue: self = .boolean
        case V4L2_CTRL_TYPE_MENU.rawValue: self = .menu
        case V4L2_CTRL_TYPE_INTEGER_MENU.rawValue: self = .integerMenu
        case V4L2_CTRL_TYPE_BITMASK.rawValue: self = .bitmask
        case V4L2_CTRL_TYPE_BUTTON.rawValue: self = .button
        default: self = .other
        }
    }
}

/// The name that `v4l2-ctl` gives a control: lower case, with one underscore for each run of anything else than
/// letters and digits ("Power Line Frequency" is `power_line_frequency`).
func controlName(from driverName: String) -> String {
    var name = ""
    var pendingSeparator = false
    for character in driverName.lowercased().unicodeScalars {
        if ("a"..."z").contains(character) || ("0"..."9").contains(character) {
            if pendingSeparator, !name.isEmpty { name += "_" }
            pendingSeparator = false
            name.unicodeScalars.append(character)
        } else {
            pendingSeparator = true
        }
    }
    return name
}
