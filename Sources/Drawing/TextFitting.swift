internal import Glibc

extension TextLayer {
    /// The text with all that is known put in.
    ///
    /// - Returns: nil when no segment's condition holds.
    /// - Throws: `DrawingError` with `value` when a value is asked for that is not known.
    func text(_ facts: PostcardFacts, _ metrics: Metrics, _ path: String) throws(DrawingError) -> String? {
        var text = ""
        for segment in segments where segment.when.allSatisfy({ facts.fulfils($0, metrics) }) {
            switch (segment.translations[facts.language] ?? segment.pattern).filled(with: facts) {
            case .success(let part):
                guard !part.isEmpty else { continue }
                if !text.isEmpty { text += segment.startsLine ? "\n" : separator }
                text += part
            case .failure(let missing):
                let subject = missing.subject.rawValue
                throw DrawingError(
                    .value,
                    "cannot draw \(path): the \(subject) is not known; guard the text with \"when\": \"\(subject)\"")
            }
        }
        guard !text.isEmpty else { return nil }
        return uppercase ? text.uppercased() : text
    }

    /// The families of a list with commas.
    static func families(_ list: String) -> [String] {
        list.split(separator: ",").map { name in
            var name = name.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            return String(name)
        }
    }

    /// A lettering with the size that it came to have.
    struct Fitted {
        var lettering: Lettering
        var em: Double
    }

    /// Sets the text at the size that the layer's rule comes to.
    func fitted(_ text: String, _ metrics: Metrics, _ typesetter: Typesetter, _ path: String) throws(DrawingError)
        -> Fitted
    {
        var layer = self
        layer.fonts = typesetter.family(among: fonts, for: text, weight: weight, italic: italic).map { [$0] } ?? fonts
        return try layer.fitted(inOneFont: text, metrics, typesetter, path)
    }

    private func fitted(
        inOneFont text: String, _ metrics: Metrics, _ typesetter: Typesetter, _ path: String
    ) throws(DrawingError) -> Fitted {
        let size = self.size.pixels(metrics)
        guard size >= 1, size <= 20_000 else {
            throw DrawingError(
                .size, "cannot draw \(path): its size comes to \(Int(size)) pixels; the sizes are 1 to 20000")
        }
        guard let fit else { return try set(text, size, nil, nil, typesetter, path) }
        let width = fit.width.pixels(metrics)
        guard width >= 1 else { throw DrawingError(.size, "cannot draw \(path): its width comes to nothing") }
        let natural = try set(text, size, nil, nil, typesetter, path)
        func lines(_ scale: Double) throws(DrawingError) -> Fitted? {
            let fitted = try set(text, size * scale, width, nil, typesetter, path)
            let lettering = fitted.lettering
            return lettering.lineCount <= fit.lines && lettering.ink.width <= width + 1 ? fitted : nil
        }
        if natural.lettering.lineCount <= fit.lines {
            let scale = width / max(1, natural.lettering.ink.width)
            if fit.fills { return try set(text, size * scale, nil, nil, typesetter, path) }
            if scale >= 1 { return natural }
            if fit.preference == .shrink, scale >= fit.minimum {
                return try set(text, size * scale * 0.998, nil, nil, typesetter, path)
            }
        }
        // The largest size at which the lines are few enough.
        if var best = try lines(fit.minimum) {
            if let whole = try lines(1) { return try balanced(whole, text, width, typesetter, path) }
            var low = fit.minimum
            var high = 1.0
            for _ in 0..<6 {
                let middle = (low + high) / 2
                if let fitted = try lines(middle) {
                    best = fitted
                    low = middle
                } else {
                    high = middle
                }
            }
            return try balanced(best, text, width, typesetter, path)
        }
        guard fit.overflow == .ellipsis else {
            throw DrawingError(
                .overflow,
                "cannot draw \(path): the text of \(text.count) characters does not fit at "
                    + "\(Int(fit.minimum * 100)) % of its size on \(fit.lines) line(s); shorten it")
        }
        return try set(text, size * fit.minimum, width, fit.lines, typesetter, path)
    }

    /// Makes the lines of a broken text as even as its number of lines allows.
    private func balanced(
        _ fitted: Fitted, _ text: String, _ width: Double, _ typesetter: Typesetter, _ path: String
    ) throws(DrawingError) -> Fitted {
        let count = fitted.lettering.lineCount
        guard count > 1 else { return fitted }
        var best = fitted
        var low = width / Double(count + 1)
        var high = width
        for _ in 0..<6 {
            let middle = (low + high) / 2
            let tried = try set(text, fitted.em, middle, nil, typesetter, path)
            if tried.lettering.lineCount <= count, tried.lettering.ink.width <= middle + 1 {
                best = tried
                high = middle
            } else {
                low = middle
            }
        }
        return best
    }

    private func set(
        _ text: String, _ size: Double, _ width: Double?, _ ellipsisLines: Int?, _ typesetter: Typesetter,
        _ path: String
    ) throws(DrawingError) -> Fitted {
        let request = LetteringRequest(
            text: text, family: fonts.first ?? "", weight: weight, italic: italic, size: size,
            tracking: tracking * size,
            leading: leading, features: features, alignment: alignment, width: width, ellipsisLines: ellipsisLines)
        do throws(DrawingError) {
            var lettering = try typesetter.set(request)
            if lean != 0 {
                let slope = tan(lean * .pi / 180)
                lettering.outline = lettering.outline.mapped { Point($0.x - $0.y * slope, $0.y) }
                lettering.ink = lettering.outline.bounds ?? lettering.ink
            }
            return Fitted(lettering: lettering, em: size)
        } catch {
            throw DrawingError(
                error.code,
                error.message.replacingFirst("cannot set the text", with: "cannot draw \(path)"))
        }
    }
}

extension String {
    /// The same text with the prefix exchanged, if it has it.
    fileprivate func replacingFirst(_ prefix: String, with other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
