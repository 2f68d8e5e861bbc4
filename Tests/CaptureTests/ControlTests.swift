import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct ControlTests {
    static let brightness = control(1, "brightness", .integer, -10, 10, step: 5)
    static let exposure = control(2, "exposure_time_absolute", .integer, 1, 5000)
    static let mode = control(3, "auto_exposure", .menu, 0, 3, items: [1: "Manual Mode", 3: "Aperture Priority Mode"])
    static let mains = control(
        ControlKeeper.powerLineFrequency, "power_line_frequency", .menu, 0, 2,
        items: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"])
    static let dynamic = control(ControlKeeper.dynamicFrameRate, "exposure_auto_priority", .boolean, 0, 1)
    static let temperature = control(5, "temperature", .integer, 0, 100, isReadOnly: true)
    static let all = [brightness, exposure, mode, mains, dynamic, temperature]

    static func control(
        _ id: UInt32, _ name: String, _ kind: ControlDescription.Kind, _ minimum: Int64, _ maximum: Int64,
        step: Int64 = 1, isReadOnly: Bool = false, items: [Int64: String] = [:]
    ) -> ControlDescription {
        ControlDescription(
            id: id, name: name, kind: kind, minimum: minimum, maximum: maximum, step: step, defaultValue: minimum,
            isReadOnly: isReadOnly, isInactive: false, isWriteOnly: false, items: items)
    }

    @Test(
        arguments: [
            ("brightness", 0, nil), ("brightness", -10, nil),
            ("brightness", 11, "cannot set brightness to 11: it takes -10 to 10 in steps of 5"),
            ("brightness", 3, "cannot set brightness to 3: it takes -10 to 10 in steps of 5"),
            (
                "brightness", Int64.min,
                "cannot set brightness to -9223372036854775808: it takes -10 to 10 in steps of 5"
            ),
            ("brightness", Int64.max, "cannot set brightness to 9223372036854775807: it takes -10 to 10 in steps of 5"),
            ("auto_exposure", 3, nil),
            ("auto_exposure", 2, "cannot set auto_exposure to 2: it takes 1 (Manual Mode), 3 (Aperture Priority Mode)"),
            ("temperature", 5, "cannot set temperature to 5: it can only be read"),
            (
                "zoom", 5,
                "cannot set zoom: the camera has no such control; it has brightness, exposure_time_absolute, "
                    + "auto_exposure, power_line_frequency, exposure_auto_priority, temperature"
            ),
        ] as [(String, Int64, String?)])
    func aWishIsCheckedAndTheRefusalNamesWhatIsAllowed(_ name: String, _ value: Int64, _ message: String?) {
        do throws(CameraError) {
            _ = try checkControls([name: value], against: Self.all)
            #expect(message == nil)
        } catch {
            #expect(error.message == message)
        }
    }

    @Test func settingsAreAppliedAfterEveryOpenAndManualValuesAfterTheirMode() throws {
        var model = ScriptedModel()
        model.controls = Self.all
        // A manual exposure is refused while the automatic mode is on.
        model.refusedOnce = ["exposure_time_absolute"]
        let system = ScriptedSystem([.removed, .added, .pass], model: model)
        var settings = CameraSettings()
        settings.powerLineFrequency = .hertz60
        settings.dynamicFrameRate = false
        settings.controls = ["exposure_time_absolute": 200, "auto_exposure": 1, "sharpness": 4]
        let hub = FrameHub(clock: system.clock)
        let status = try runCamera(system, hub, settings: settings)
        let set = system.state.withLock { $0.set.map(\.name) }
        let once = ["power_line_frequency", "exposure_auto_priority", "auto_exposure", "exposure_time_absolute"]
        #expect(set == once + once)
        let device = try #require(status.device)
        #expect(Array(device.ignoredControls.keys) == ["sharpness"])
        #expect(device.controls.first { $0.name == "exposure_time_absolute" }?.value == 200)
        #expect(device.controls.count == 6)
    }

    @Test func aControlSetWhileRunningIsKeptWhenTheCameraComesBack() async throws {
        var model = ScriptedModel()
        model.controls = Self.all
        let system = ScriptedSystem([], model: model)
        let hub = FrameHub(clock: system.clock)
        let answer = Mutex<Task<[CameraControl], any Error>?>(nil)
        let refusal = Mutex<Task<[CameraControl], any Error>?>(nil)
        system.state.withLock { state in
            state.moments = [
                .action {
                    answer.withLock { $0 = Task { try await hub.setControls(["brightness": 5]) } }
                    refusal.withLock { $0 = Task { try await hub.setControls(["brightness": 6]) } }
                    while hub.state.withLock({ $0.controlRequests.count }) < 2 {}
                },
                .pass, .removed, .added, .pass,
            ]
        }
        let status = try await Task.detached { try runCamera(system, hub) }.value
        let controls = try await answer.withLock { $0 }?.value
        #expect(controls?.first { $0.name == "brightness" }?.value == 5)
        await #expect(
            throws: CameraError(
                .controlRefused, "cannot set brightness to 6: it takes -10 to 10 in steps of 5")
        ) {
            try await refusal.withLock { $0 }?.value
        }
        #expect(system.state.withLock { $0.set.filter { $0.name == "brightness" }.count } == 2)
        #expect(status.device?.controls.first { $0.name == "brightness" }?.value == 5)
    }

    @Test(arguments: [
        ("Power Line Frequency", "power_line_frequency"), ("White Balance, Automatic", "white_balance_automatic"),
        ("Exposure, Auto Priority", "exposure_auto_priority"), ("  LED1 Mode ", "led1_mode"), ("", ""),
    ])
    func controlsHaveTheNamesOfV4L2Ctl(_ driverName: String, _ name: String) {
        #expect(controlName(from: driverName) == name)
    }
}
