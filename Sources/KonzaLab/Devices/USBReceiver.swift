internal import Foundation
internal import KonzaTesting

/// A receiver that is plugged into the lab's machine: a USB modem with the numbers of a u-blox 8, by the kernel's own
/// gadget driver on its dummy host controller. udev, gpsd's rules and gpsd find it as they find a real one.
final class USBReceiver: Sendable {
    private static let gadget = "/sys/kernel/config/usb_gadget/receiver"
    /// The gadget's end of the line.
    private static let line = "/dev/ttyGS0"
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Plugs it in; it says one epoch a second with the time as it is.
    ///
    /// - Throws: ``Complaint`` if the kernel has no such gadget.
    init() throws {
        try Program("modprobe", "-a", "configfs", "libcomposite", "usb_f_acm", "dummy_hcd", "cdc_acm").succeed()
        _ = try Program("mount", "-t", "configfs", "configfs", "/sys/kernel/config").run()
        try Self.unplug()
        let gadget = Self.gadget
        for folder in ["strings/0x409", "configs/c.1", "functions/acm.0"] {
            try FileManager.default.createDirectory(atPath: "\(gadget)/\(folder)", withIntermediateDirectories: true)
        }
        for (name, value) in [
            ("idVendor", "0x1546"), ("idProduct", "0x01a8"), ("strings/0x409/manufacturer", "u-blox AG"),
            ("strings/0x409/product", "u-blox GNSS receiver"),
        ] { try Self.write(value, into: "\(gadget)/\(name)") }
        try FileManager.default.createSymbolicLink(
            atPath: "\(gadget)/configs/c.1/acm.0", withDestinationPath: "\(gadget)/functions/acm.0")
        _ = try Program("udevadm", "settle", "--timeout=20").run()
        try Program("stty", "-F", Self.line, "raw", "-echo").succeed()
        speak()
        try Self.write("dummy_udc.0", into: "\(gadget)/UDC")
    }

    deinit {
        isDone.set(true)
        ended.wait()
        try? Self.unplug()
    }

    /// Takes away what a scenario left plugged in.
    static func unplug() throws {
        guard FileManager.default.fileExists(atPath: gadget) else { return }
        try? write("", into: "\(gadget)/UDC")
        try? FileManager.default.removeItem(atPath: "\(gadget)/configs/c.1/acm.0")
        // Files of configfs go with their folders, innermost first.
        for folder in ["configs/c.1", "functions/acm.0", "strings/0x409", ""] { unsafe rmdir("\(gadget)/\(folder)") }
    }

    private func speak() {
        Thread.detachNewThread { [isDone, ended] in
            let descriptor = unsafe open(Self.line, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            while !isDone.value {
                let sentences = LabReceiver.Epoch(Date()).sentences + Self.satellites
                let bytes = Array(sentences.map { $0 + "\r\n" }.joined().utf8)
                // What gpsd asks the receiver is read and not answered, as by one that takes no commands.
                var asked = [UInt8](repeating: 0, count: 4096)
                unsafe _ = read(descriptor, &asked, asked.count)
                unsafe _ = Foundation.write(descriptor, bytes, bytes.count)
                usleep(1_000_000)
            }
            close(descriptor)
            ended.signal()
        }
    }

    /// The satellites that the epochs say they use, in the open.
    private static let satellites = [
        "GPGSV,3,1,09,02,24,301,38,05,61,214,44,12,12,047,36,13,78,096,48".nmea,
        "GPGSV,3,2,09,15,49,278,42,18,33,166,40,20,37,120,41,25,18,250,37".nmea,
        "GPGSV,3,3,09,29,66,020,46".nmea,
    ]

    private static func write(_ text: String, into path: String) throws {
        guard let handle = FileHandle(forWritingAtPath: path) else { throw Complaint("cannot open \(path)") }
        do {
            try handle.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            throw Complaint("cannot write \(text) into \(path): \(error)")
        }
    }
}
