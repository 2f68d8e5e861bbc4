internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Specimens

/// `/v1/vocabulary`.
struct VocabularyRoutes: Sendable {
    let desk: SpecimenDesk

    var routes: [Route] {
        [
            Route(
                .get, "/v1/vocabulary", access: .everyone, operation: "getVocabulary",
                summary: "The names that a sample may be described with",
                replies: [Reply(200, "The vocabulary.", schema: "Vocabulary")],
                handler: .asynchronous { _ in try .json(desk.vocabulary.current) }),
            Route(
                .put, "/v1/vocabulary", access: .only(.courier), operation: "putVocabulary",
                summary: "Put a vocabulary that was fetched from the server in place of the one before",
                body: RequestBody(
                    schema: "VocabularyInput", isRequired: true, limit: SpecimenArchive.maximumVocabulary),
                replies: [Reply(204, "It is kept.")],
                handler: .asynchronous { request in
                    let vocabulary = try request.decoded(
                        Vocabulary.self, as: "the vocabulary", schema: "VocabularyInput")
                    try vocabulary.checkTexts()
                    try desk.vocabulary.replace(with: vocabulary)
                    return .noContent
                }),
        ].map { $0.failing(.archiveUnavailable, .insufficientStorage) }
    }
}
