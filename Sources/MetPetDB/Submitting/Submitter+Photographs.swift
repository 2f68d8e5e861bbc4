internal import KonzaModel
internal import Terminology

extension Submitter {
    /// Uploads one photograph that the sample does not have yet, after looking what it has.
    func sendNextPhotograph(_ record: inout Submission, _ specimen: Specimen, _ vocabulary: Vocabulary) throws {
        guard let id = record.remoteID, let index = record.nextPicture,
            let photograph = specimen.photographs.first(where: { $0.id == record.pictures[index].id })
        else {
            succeed(&record, specimen)
            return try keep(&record)
        }
        let names = PhotographNames(specimen.photographs)
        // Ours may be there already: by a call whose answer was lost, or by one that was answered with an error.
        if try markStored(&record, id, names, photograph.id) {
            succeed(&record, specimen)
            return try keep(&record)
        }
        let path: String
        let fields: ImageFields
        do {
            fields = try imageFields(photograph, specimen, id, names, vocabulary)
        } catch let refusals as Refusals {
            let words = refusals.list.map { "\($0.field ?? ""): \($0.words)" }.joined(separator: "; ")
            return try refusePicture(&record, index, words, specimen)
        }
        do {
            path = try ledger.path(of: photograph, in: specimen)
        } catch {
            guard error.reason != .superseded else { throw error }
            throw MetPetDBError(.local, "cannot read the photograph \(fields.fileName): \(error.description)")
        }
        record.state = .sending
        record.step = .photograph
        record.stepPhotograph = photograph.id
        record.pictures[index].state = .sending
        try keep(&record)
        try upload(&record, index, fields, path, photograph, specimen, names)
    }

    private func upload(
        _ record: inout Submission, _ index: Int, _ fields: ImageFields, _ path: String, _ photograph: Photograph,
        _ specimen: Specimen, _ names: PhotographNames
    ) throws {
        do {
            let remote = try client.uploadImage(fields, path: path, byteCount: photograph.byteCount) { sent, total in
                ledger.progress(photograph.id, of: specimen.id, sentBytes: sent, totalBytes: total)
            }
            record.pictures[index].state = .submitted
            record.pictures[index].remoteID = remote
            succeed(&record, specimen)
            try keep(&record)
        } catch let error as MetPetDBError {
            guard [.fields, .halfDone, .missing, .failed].contains(error.reason) else { throw error }
            if try markStored(&record, fields.sampleID, names, photograph.id) {
                succeed(&record, specimen)
                return try keep(&record)
            }
            // MetPetDB answers every refusal of an image with 404.
            guard error.reason != .failed else { throw error }
            try refusePicture(&record, index, ServerSaid(error).words, specimen)
        }
    }

    /// Marks the photographs that the sample has.
    ///
    /// - Returns: whether this one is among them.
    private func markStored(
        _ record: inout Submission, _ id: String, _ names: PhotographNames, _ wanted: PhotographID
    ) throws(MetPetDBError) -> Bool {
        let sample: RemoteSample
        do {
            sample = try client.sample(id: id)
        } catch {
            // Gone: the next try, which begins with the sample itself, says so.
            if error.reason == .missing || error.reason == .forbidden { record.submittedRevision = nil }
            throw error
        }
        let matches = names.matches(among: sample.images)
        for index in record.pictures.indices {
            guard let image = matches[record.pictures[index].id] else { continue }
            record.pictures[index].state = .submitted
            record.pictures[index].remoteID = image.id
            record.pictures[index].refusal = nil
        }
        return matches[wanted] != nil
    }

    private func refusePicture(
        _ record: inout Submission, _ index: Int, _ words: String, _ specimen: Specimen
    ) throws {
        record.pictures[index].state = .refused
        record.pictures[index].refusal = words
        succeed(&record, specimen)
        try keep(&record)
    }

    private func imageFields(
        _ photograph: Photograph, _ specimen: Specimen, _ sampleID: String, _ names: PhotographNames,
        _ vocabulary: Vocabulary
    ) throws -> ImageFields {
        var checks = SampleChecks(vocabulary)
        let type = checks.term(photograph.imageType.rawValue, .imageTypes, "image_type")
        let described = DescriptionLine(photograph).joined(to: photograph.description)
        let description = checks.text(described, 1024, "description")
        let collector = checks.text(specimen.collector, 50, "collector")
        if let scale = photograph.scale, !(1...32_767).contains(scale) {
            checks.refuse("scale", "has to be 1 to 32767 millimetres")
        }
        if photograph.byteCount <= 0 { checks.refuse("image", "cannot be empty") }
        try checks.finish()
        return ImageFields(
            sampleID: sampleID, ownerID: try client.account().id, imageType: type?.id ?? "",
            fileName: names.name(of: photograph.id), mediaType: photograph.mediaType, scale: photograph.scale,
            description: description, collector: collector, isPublic: specimen.isPublic)
    }
}

/// A server's words of an error, or ours where it had none.
private struct ServerSaid {
    let words: String

    init(_ error: MetPetDBError) {
        let said = error.refusals.map { refusal in refusal.field.map { "\($0): \(refusal.words)" } ?? refusal.words }
        words = said.isEmpty ? error.description : said.joined(separator: "; ")
    }
}

extension Submission {
    /// The picture to send next: the one after the last that was tried, so that one which the server cannot take does
    /// not hold up the others.
    var nextPicture: Int? {
        let open = pictures.indices.filter { pictures[$0].state == .waiting || pictures[$0].state == .sending }
        let last = pictures.firstIndex { $0.id == stepPhotograph } ?? -1
        return open.first { $0 > last } ?? open.first
    }
}
