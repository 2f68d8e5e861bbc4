internal import HTTPServing
public import KonzaAPI

extension AccessRoutes {
    /// What these routes take and answer. The session is the portal's.
    public static let schemas: [Schema] = [
        Schema(
            "TokenRequest", "The secret of a link, or of a request to be paired.",
            [
                .always("token", .string, "64 hexadecimal digits."),
                .optional("name", .line(80), "What the device is to be called."),
            ], isClosed: true),
        Schema(
            "NameRequest", "What a device is to be called.",
            [.optional("name", .line(80), "For the keeper's list.")], isClosed: true),
        Schema(
            "InvitationRequest", "What a link is to pair.",
            [
                .always("role", .choice(Device.roles.map(\.rawValue)), "What the device may do."),
                .optional("name", .line(80), "What the device is to be called."),
            ], isClosed: true),
        Schema(
            "DevicePatch", "What changes of a device.",
            [
                .optional("role", .choice(Device.roles.map(\.rawValue)), "What it may do."),
                .optional("name", .line(80), "What it is called."),
            ], isClosed: true),
        Schema(
            "RoleRequest", "What a device may do.",
            [.always("role", .choice(Device.roles.map(\.rawValue)), "The role.")], isClosed: true),
        Schema(
            "PINRequest", "The PIN of the kiosk's door.",
            [.optional("pin", .string, "Digits.")], isClosed: true),
        Schema(
            "Invitation", "A link that pairs one device.",
            [
                .always("role", .choice(Device.roles.map(\.rawValue)), "What the device may do then."),
                .always("link", .string, "Opens the pages and pairs whoever opens it first."),
                .always("expiresInSeconds", .integer, "How long it is good, seconds."),
                .always("qr", .array(.string), "The link's QR code (ISO/IEC 18004): 0 and 1, a text for each row."),
            ]),
        Schema(
            "PairingRequest", "What a device needs that asks to be paired.",
            [
                .always("letters", .string, "Eight, to be shown to the keeper."),
                .always("token", .string, "To ask with whether it was let in."),
                .always("expiresInSeconds", .integer, "How long it is good, seconds."),
                .always("intervalSeconds", .integer, "How often it may ask, seconds."),
            ]),
        Schema(
            "PairingState", "That nobody has decided yet.",
            [.always("state", .choice(["waiting"]), "Always waiting.")]),
        Schema(
            "PairingRequestList", "The devices that ask to be paired.",
            [.always("requests", .array(.reference("WaitingDevice")), "The oldest first.")]),
        Schema(
            "WaitingDevice", "A device that asks to be paired.",
            [
                .always("letters", .string, "What its screen shows."),
                .always("name", .string, "What it calls itself."),
                .always("address", .string, "Where it is in the network."),
                .always("state", .string, "waiting, denied, or the role that it was let in for."),
                .always("secondsLeft", .integer, "How long it may still be decided, seconds."),
            ]),
        Schema(
            "DeviceList", "The devices that are paired.",
            [.always("devices", .array(.reference("Device")), "All of them.")]),
        Schema(
            "Device", "A browser that is paired.",
            [
                .always("id", .string, "Its name for programs."),
                .always("name", .string, "Its name for people."),
                .always("role", .choice(Device.roles.map(\.rawValue)), "What it may do."),
                .always("createdAt", .dateTime, "When it was paired."),
                .always("seenAt", .dateTime, "When it was last seen, to the day."),
                .always("isThis", .boolean, "Whether it is the one that asks."),
            ]),
        Schema(
            "KioskTicket", "What makes the kiosk's own browser the kiosk, once.",
            [
                .always("token", .string, "For the fragment of the page's address."),
                .always("expiresInSeconds", .integer, "How long it is good, seconds."),
            ]),
    ]
}
