internal import KonzaSystem

/// Knows the controls of the open device, and which values have to be set again when it is opened again.
struct ControlKeeper {
    /// `V4L2_CID_POWER_LINE_FREQUENCY` and `V4L2_CID_EXPOSURE_AUTO_PRIORITY`: by number, since the latter's name was
    /// changed from "Exposure, Auto Priority" to "Exposure, Dynamic Framerate".
    static let powerLineFrequency: UInt32 = 0x0098_0918
    static let dynamicFrameRate: UInt32 = 0x009A_0903

    private let settings: CameraSettings
    /// By name: the settings' values, and over them what was set since.
    private var wanted: [String: Int64]
    private var known: [ControlDescription] = []
    private var values: [UInt32: Int64] = [:]

    init(settings: CameraSettings) {
        self.settings = settings
        wanted = settings.controls
    }

    /// All supported controls with their values as last read.
    var published: [CameraControl] { known.compactMap { $0.published(value: values[$0.id]) } }

    mutating func forget() {
        known = []
        values = [:]
    }

    /// Sets a newly opened device as wanted.
    ///
    /// - Returns: what could not be set, with the reason. It does not keep the camera from working.
    mutating func adopt(_ device: any VideoDevice) -> [String: String] {
        known = (try? device.controls()) ?? []
        var ignored: [String: String] = [:]
        var wishes: [(control: ControlDescription, value: Int64)] = []
        for (control, value) in standing where wanted[control.name] == nil { wishes.append((control, value)) }
        for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
            do throws(CameraError) {
                wishes += try checkControls([name: value], against: known)
            } catch {
                ignored[name] = error.message
            }
        }
        // A manual value is refused while its automatic mode is on, so what fails is tried again after the others.
        let refused = wishes.filter { wish in (try? device.setValue(wish.value, of: wish.control)) == nil }
        for wish in refused {
            do throws(SystemError) {
                try device.setValue(wish.value, of: wish.control)
            } catch {
                ignored[wish.control.name] = error.description
            }
        }
        read(device)
        return ignored
    }

    /// The two settings with a name of their own, where the device has them.
    private var standing: [(ControlDescription, Int64)] {
        var values: [(ControlDescription, Int64)] = []
        if let frequency = settings.powerLineFrequency, let control = control(Self.powerLineFrequency) {
            values.append((control, frequency.rawValue))
        }
        if let dynamic = settings.dynamicFrameRate, let control = control(Self.dynamicFrameRate) {
            values.append((control, dynamic ? 1 : 0))
        }
        return values
    }

    private func control(_ id: UInt32) -> ControlDescription? { known.first { $0.id == id } }

    /// Sets controls now, and from now on whenever the device is opened again.
    mutating func set(_ wishes: [String: Int64], on device: any VideoDevice) throws(CameraError) -> [CameraControl] {
        let checked = try checkControls(wishes, against: known)
        for (control, value) in checked {
            do throws(SystemError) {
                try device.setValue(value, of: control)
            } catch {
                read(device)
                throw CameraError(
                    .controlRefused,
                    "cannot set \(control.name) to \(value): \(SystemError.text(error.code))"
                        + (control.isInactive ? "; switch off the automatic mode that governs it first" : ""))
            }
            if control.kind != .button { wanted[control.name] = value }
        }
        read(device)
        return published
    }

    /// Reads all descriptions again, since setting one may change another's flags and range, and all values.
    private mutating func read(_ device: any VideoDevice) {
        known = (try? device.controls()) ?? known
        values = [:]
        for control in known where !control.isWriteOnly && control.kind != .other {
            values[control.id] = try? device.value(of: control)
        }
    }
}
