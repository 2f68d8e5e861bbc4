internal import KonzaModel

extension Schema {
    /// The shapes of what the courier sends: those of the replies, with no members beside those that are named, with bounds
    /// for every number, and with null for what is absent.
    static let courier: [Schema] =
        [
            OutboxReply.submission, OutboxReply.vocabulary, OutboxReply.term, SpecimenReply.refusal,
            SampleSchemas.answer,
            SampleSchemas.detailsReport, SampleSchemas.sumsReport, SampleSchemas.foundSample, SampleSchemas.image,
            SampleSchemas.subsample, SampleSchemas.analyses, SampleSchemas.nameCount, SampleSchemas.place,
            SampleSchemas.box,
        ].map { $0.input("\($0.name)Input") }
        + OutboxReply.schemas.filter { ["SubmissionPicture", "SubmissionConflict"].contains($0.name) }.map {
            $0.input("\($0.name)Input")
        } + [
            Schema("ErrandReport", "What came of an errand; members by its kind.", SampleSchemas.report).input(
                "ErrandReport",
                example: .object(["problem": .string("cannot ask: no network"), "reason": .string("unavailable")]))
        ]

    private func input(_ name: String, example: JSONValue? = nil) -> Schema {
        Schema(
            name, note,
            members.map { member in
                member.isRequired
                    ? .always(member.name, member.shape.input, member.note)
                    : .optional(member.name, member.shape.input, member.note)
            }, isClosed: true, example: example)
    }
}

extension Schema.Shape {
    /// Whole numbers that JSON readers hold exactly (RFC 8259, section 6).
    private static let exact = -(1 << 53 - 1)...(1 << 53 - 1)

    /// The same, of what is sent to konzad.
    fileprivate var input: Schema.Shape {
        switch self {
        case .string: .form(.anyLines)
        case .dateTime: .form(.instant)
        case .integer: .count(Self.exact)
        case .array(let inner): .array(inner.input)
        case .list(let inner, let most): .list(inner.input, atMost: most)
        case .reference(let name): .reference("\(name)Input")
        case .map(let inner): .map(inner.input)
        case .table(let names, let inner): .table(names, inner.input)
        default: self
        }
    }
}
