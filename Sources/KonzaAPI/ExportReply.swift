public import KonzaModel

/// A specimen, and what keeps it from something.
public struct RefusedSpecimen: Codable, Sendable {
    /// Nil for a number that no specimen here has.
    public var specimen: SpecimenID?
    public var number: String?
    public var reasons: [Submission.Refusal]

    public init(specimen: SpecimenID?, number: String?, reasons: [Submission.Refusal]) {
        self.specimen = specimen
        self.number = number
        self.reasons = reasons
    }
}

/// The reply of `GET /v1/specimens/export/check`: what an export would hold.
public struct ExportCheckReply: Codable, Sendable {
    public var format: String
    /// How many specimens match.
    public var specimens: Int
    /// Those of them that the form cannot hold.
    public var leftOut: [RefusedSpecimen]
    /// Why there would be no file at all.
    public var problem: Problem?
    /// Where the next ones begin; nil when these are the last.
    public var next: String?

    public init(format: String, specimens: Int, leftOut: [RefusedSpecimen], problem: Problem?, next: String?) {
        self.format = format
        self.specimens = specimens
        self.leftOut = leftOut
        self.problem = problem
        self.next = next
    }
}

/// The reply of `POST /v1/specimens/export/metpetdb-reply`: what MetPetDB said about an uploaded sheet.
public struct SheetJudgementReply: Codable, Sendable {
    /// How many rows it speaks of.
    public var rows: Int
    /// Those that it refuses. It stops at the first bad one, so that a corrected sheet can bring up another.
    public var refused: [RefusedSpecimen]
    /// What is wrong with the sheet as a whole, in the server's words.
    public var problem: String?

    public init(rows: Int, refused: [RefusedSpecimen], problem: String?) {
        self.rows = rows
        self.refused = refused
        self.problem = problem
    }
}

extension ExportCheckReply {
    static let schemas: [Schema] = [
        Schema(
            "ExportCheck", "What an export would hold.",
            [
                .always("format", .string, "The form."),
                .always("specimens", .integer, "How many specimens match."),
                .always("leftOut", .array(.reference("RefusedSpecimen")), "Those of them that the form cannot hold."),
                .known("problem", .reference("Problem"), "Why there would be no file at all."),
                .known("next", .string, "The cursor of the next ones; left out when these are the last."),
            ]),
        Schema(
            "RefusedSpecimen", "A specimen, and what keeps it from something.",
            [
                .known("specimen", .string, "Its id; left out for a number that no specimen here has."),
                .known("number", .string, "Its number."),
                .always("reasons", .array(.reference("Refusal")), "The form's fields, and what is wrong with each."),
            ]),
        Schema(
            "SheetJudgement", "What MetPetDB said about an uploaded sheet.",
            [
                .always("rows", .integer, "How many rows it speaks of."),
                .always(
                    "refused", .array(.reference("RefusedSpecimen")),
                    "Those that it refuses. It stops at the first bad one: a corrected sheet can bring up another."),
                .known("problem", .string, "What is wrong with the sheet as a whole, in its words."),
            ]),
    ]
}
