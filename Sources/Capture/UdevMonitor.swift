internal import CUdev
internal import KonzaSystem

/// Hears from udev when video devices come and go (`libudev(3)`), after the rules have set names and permissions.
/// Used from one thread.
@safe final class UdevMonitor {
    private let context: OpaquePointer
    private let monitor: OpaquePointer
    /// Readable when an event waits.
    let descriptor: Int32

    /// - Returns: nil where there is no udev to listen to (a container, a private network namespace).
    init?() {
        guard let context = unsafe udev_new() else { return nil }
        guard let monitor = unsafe udev_monitor_new_from_netlink(context, "udev") else {
            unsafe udev_unref(context)
            return nil
        }
        guard unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, "video4linux", nil) >= 0,
            unsafe udev_monitor_enable_receiving(monitor) >= 0
        else {
            unsafe udev_monitor_unref(monitor)
            unsafe udev_unref(context)
            return nil
        }
        unsafe self.context = unsafe context
        unsafe self.monitor = unsafe monitor
        unsafe descriptor = udev_monitor_get_fd(monitor)
    }

    deinit {
        unsafe udev_monitor_unref(monitor)
        unsafe udev_unref(context)
    }

    /// Takes one event, if there is one that matters.
    func next() -> DeviceChange? {
        guard let device = unsafe udev_monitor_receive_device(monitor) else { return nil }
        defer { unsafe udev_device_unref(device) }
        guard let action = unsafe udev_device_get_action(device) else { return nil }
        switch unsafe String(cString: action) {
        case "add", "change", "bind": return .added
        case "remove":
            guard let node = unsafe udev_device_get_devnode(device) else { return nil }
            return .removed(path: unsafe String(cString: node))
        default: return nil
        }
    }
}
