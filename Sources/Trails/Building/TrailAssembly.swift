/// The segments of a trail in the order and the directions in which they are walked.
struct TrailAssembly {
    private(set) var parts: [NamedTrail.Part] = []

    private let ends: [(VertexKey, VertexKey)]

    /// - Parameters:
    ///   - runs: the segments of each of its lines, in the order of the file.
    ///   - ends: of every segment.
    init(_ runs: [[NamedTrail.Part]], ends: [(VertexKey, VertexKey)]) {
        self.ends = ends
        let runs = runs.filter { !$0.isEmpty }
        let chained = chain(runs)
        // A single line is walked as it is drawn; several that do not follow each other are put in order.
        parts = runs.count == 1 || gapCount(chained) == 0 ? chained : walk(runs.flatMap { $0 }) ?? chained
    }

    private func start(_ part: NamedTrail.Part) -> VertexKey {
        part.isReversed ? ends[part.segment].1 : ends[part.segment].0
    }

    private func end(_ part: NamedTrail.Part) -> VertexKey {
        part.isReversed ? ends[part.segment].0 : ends[part.segment].1
    }

    private static func reversed(_ run: [NamedTrail.Part]) -> [NamedTrail.Part] {
        run.reversed().map { NamedTrail.Part($0.segment, isReversed: !$0.isReversed) }
    }

    private func gapCount(_ parts: [NamedTrail.Part]) -> Int {
        zip(parts, parts.dropFirst()).count { end($0) != start($1) }
    }

    /// The lines in their order, each turned so that it goes on where the one before ends.
    private func chain(_ runs: [[NamedTrail.Part]]) -> [NamedTrail.Part] {
        var chained: [NamedTrail.Part] = []
        for (index, run) in runs.enumerated() {
            guard let first = run.first, let last = run.last else { continue }
            let isTurned: Bool
            if let before = chained.last {
                isTurned = end(before) != start(first) && end(before) == end(last)
            } else if runs.indices.contains(index + 1), let next = runs[index + 1].first, let far = runs[index + 1].last
            {
                let neighbours = [start(next), end(far)]
                isTurned = !neighbours.contains(end(last)) && neighbours.contains(start(first))
            } else {
                isTurned = false
            }
            chained += isTurned ? Self.reversed(run) : run
        }
        return chained
    }

    /// Walks over every segment once (C. Hierholzer, 1873), from the end that the first segment leads away from.
    ///
    /// - Returns: nil where that cannot be done in one walk for each connected part.
    private func walk(_ all: [NamedTrail.Part]) -> [NamedTrail.Part]? {
        var seen: Set<Int> = []
        let segments = all.map(\.segment).filter { seen.insert($0).inserted }
        var edges: [VertexKey: [Int]] = [:]
        for segment in segments {
            edges[ends[segment].0, default: []].append(segment)
            edges[ends[segment].1, default: []].append(segment)
        }
        var used: Set<Int> = []
        var result: [NamedTrail.Part] = []
        for segment in segments where !used.contains(segment) {
            let island = island(from: segment, edges)
            let odd = island.filter { (edges[$0]?.count ?? 0) % 2 == 1 }
            guard odd.count <= 2 else { return nil }
            // A dead end before a junction: a stem is walked first.
            let start = odd.min { (edges[$0]?.count ?? 0) < (edges[$1]?.count ?? 0) } ?? ends[segment].0
            result += circuit(from: start, edges, &used)
        }
        return result
    }

    private func island(from segment: Int, _ edges: [VertexKey: [Int]]) -> [VertexKey] {
        var found: Set<VertexKey> = [ends[segment].0]
        var list = [ends[segment].0]
        var next = 0
        while next < list.count {
            for edge in edges[list[next]] ?? [] {
                for node in [ends[edge].0, ends[edge].1] where found.insert(node).inserted { list.append(node) }
            }
            next += 1
        }
        return list
    }

    private func circuit(
        from start: VertexKey, _ edges: [VertexKey: [Int]], _ used: inout Set<Int>
    ) -> [NamedTrail.Part] {
        var next: [VertexKey: Int] = [:]
        var stack: [(node: VertexKey, part: NamedTrail.Part?)] = [(start, nil)]
        var result: [NamedTrail.Part] = []
        while let top = stack.last {
            let list = edges[top.node] ?? []
            var index = next[top.node] ?? 0
            while index < list.count, used.contains(list[index]) { index += 1 }
            next[top.node] = index
            if index < list.count {
                used.insert(list[index])
                let isReversed = ends[list[index]].0 != top.node
                let part = NamedTrail.Part(list[index], isReversed: isReversed)
                stack.append((end(part), part))
            } else {
                stack.removeLast()
                if let part = top.part { result.append(part) }
            }
        }
        return result.reversed()
    }
}
