import Foundation
import KonzaModel
import KonzaTesting

@testable import Trails

/// Networks and walkers for tests, in metres east and north of the trailhead.
struct Meadow {
    static let plane = LocalPlane(at: DemonstrationTrails.trailhead)

    static func place(_ east: Double, _ north: Double) -> Coordinate {
        guard let place = plane.coordinate(PlanePoint(east, north)) else { preconditionFailure("no place") }
        return place
    }

    static func line(_ points: [(Double, Double)], trails: [String], id: String? = nil) -> TrailDrawing.Line {
        var line = TrailDrawing.Line(points.map { place($0.0, $0.1) }, trails: trails)
        line.id = id
        return line
    }

    static func source(
        _ lines: [TrailDrawing.Line], trails: [TrailDrawing.Trail] = []
    ) throws -> (source: TrailSource, report: TrailReport) {
        var drawing = TrailDrawing(.geoJSON)
        drawing.lines = lines
        drawing.trails = trails
        return try NetworkBuilder.build(drawing, name: "test", origin: .imported, at: nil, published: [:])
    }

    /// The lines of each source.
    static func network(_ lines: [TrailDrawing.Line]..., trails: [TrailDrawing.Trail] = []) throws -> TrailNetwork {
        TrailNetwork(try lines.map { try source($0, trails: trails).source })
    }
}

/// An error of position as receivers have it: each component a Gauss-Markov process.
struct WanderingError {
    let sigma: Double
    let correlationSeconds: Double
    private(set) var east: Double
    private(set) var north: Double

    init(sigma: Double, correlationSeconds: Double, using random: inout SeededGenerator) {
        self.sigma = sigma
        self.correlationSeconds = correlationSeconds
        east = sigma * Self.normal(using: &random)
        north = sigma * Self.normal(using: &random)
    }

    mutating func advance(using random: inout SeededGenerator) {
        let keep = exp(-1 / correlationSeconds)
        let fresh = sigma * (1 - keep * keep).squareRoot()
        east = keep * east + fresh * Self.normal(using: &random)
        north = keep * north + fresh * Self.normal(using: &random)
    }

    static func normal(using random: inout SeededGenerator) -> Double {
        let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
}

extension Meadow {
    static func sine(_ angle: Double) -> Double { sin(angle) }
}
