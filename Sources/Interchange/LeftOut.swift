public import KonzaModel

/// A specimen that a form cannot hold, and why.
public struct LeftOut: Sendable, Equatable {
    public var specimen: SpecimenID
    public var number: String
    /// The form's names of the fields, and what is wrong with each.
    public var reasons: [Submission.Refusal]

    public init(_ specimen: Specimen, _ reasons: [Submission.Refusal]) {
        self.specimen = specimen.id
        number = specimen.number
        self.reasons = reasons
    }
}
