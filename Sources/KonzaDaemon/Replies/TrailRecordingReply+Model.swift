internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Trails

extension TrailRecordingReply {
    /// - Parameters:
    ///   - running: the recording.
    ///   - state: how far it is, unless a junction is occupied.
    init(_ running: RunningRecording, _ state: State) {
        let recording = running.recording
        self.init(state: running.standing == nil ? state : .occupying)
        trail = recording.head.trail
        source = recording.head.source
        demonstration = recording.head.isMadeUp
        startedAt = recording.head.startedAt
        points = recording.pointCount
        length = recording.length.rounded(toDecimals: 1)
        gaps = recording.gapCount
        refusedFixes = recording.refused
        junctions = recording.marks.map { mark in
            var junction = Junction(name: mark.name, kind: mark.kind.rawValue, fixes: mark.fixes)
            junction.latitude = mark.latitude.rounded(toDecimals: 7)
            junction.longitude = mark.longitude.rounded(toDecimals: 7)
            junction.accuracy = mark.accuracy
            return junction
        }
        occupation = running.standing.map(Junction.init)
        full = recording.isFull
        savedAt = running.savedAt
        accuracy = running.accuracy?.rounded(toDecimals: 1)
        problem = running.problem
    }
}

extension TrailRecordingReply.Junction {
    /// One that is occupied now.
    init(_ standing: StandingAtJunction) {
        let result = standing.occupation.estimate
        self.init(name: standing.name, kind: standing.kind.rawValue, fixes: result?.fixesUsed ?? 0)
        latitude = result?.coordinate.latitude.rounded(toDecimals: 7)
        longitude = result?.coordinate.longitude.rounded(toDecimals: 7)
        accuracy = result.map { ($0.horizontalError * 100).rounded(.up) / 100 }
        elapsedSeconds = standing.occupation.elapsed.rounded(toDecimals: 1)
        timeLimitSeconds = standing.occupation.settings.timeLimit
    }
}
