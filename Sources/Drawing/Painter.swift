internal import Glibc

/// Something ready to be drawn, with the box outside which it draws nothing.
struct DrawItem {
    var bounds: Box
    /// What tells this drawing from others of the same template at the same size: its layer and its text.
    var key = ""
    /// Whether it says nothing of the facts, so that the next drawing of the same template has it too.
    var isFixed = false
    var draw: (borrowing Canvas) throws(DrawingError) -> Void

    init(bounds: Box, draw: @escaping (borrowing Canvas) throws(DrawingError) -> Void) {
        self.bounds = bounds
        self.draw = draw
    }
}

/// A shape that effects are laid on.
struct Shape {
    var outline: Outline
    var insets: [Lettering.Inset] = []
    /// What gradients run over and what the layers inside are placed in.
    var box: Box

    /// The coats as one thing to draw; nil when the shape is empty. `inside` makes the items of layers that are seen
    /// through the shape.
    func item(
        _ effects: [Effect], _ metrics: Metrics,
        inside: ([Layer], Metrics) throws(DrawingError) -> [DrawItem]
    ) throws(DrawingError) -> DrawItem? {
        guard var bounds = insets.map(\.box).reduce(outline.bounds, { $0?.union($1) ?? $1 }) else { return nil }
        let reach = bounds
        var coats: [DrawItem] = []
        for effect in effects {
            let coat = try item(effect, reach, metrics, inside)
            bounds = bounds.union(coat.bounds)
            coats.append(coat)
        }
        // A pixel more on each side, for the soft edge.
        return DrawItem(bounds: bounds.grown(by: 1)) { (canvas: borrowing Canvas) throws(DrawingError) in
            for coat in coats { try coat.draw(canvas) }
        }
    }

    private func item(
        _ effect: Effect, _ reach: Box, _ metrics: Metrics,
        _ inside: ([Layer], Metrics) throws(DrawingError) -> [DrawItem]
    ) throws(DrawingError) -> DrawItem {
        switch effect {
        case .fill(let paint):
            return DrawItem(bounds: reach) { (canvas: borrowing Canvas) throws(DrawingError) in
                canvas.fill(outline, paint, over: box)
                for inset in insets { canvas.draw(inset.picture, in: inset.box) }
            }
        case .stroke(let paint, let width, let side, let join):
            return stroke(paint, width.pixels(metrics), side, join, reach)
        case .shadow(let color, let x, let y, let blur, let spread):
            return shadow(
                color, Point(x.pixels(metrics), y.pixels(metrics)), blur: max(0, blur.pixels(metrics)),
                spread: max(0, spread.pixels(metrics)), reach)
        case .extrude(let lit, let shade, let x, let y, let light, let edge, let edgeWidth):
            let depth = Point(x.pixels(metrics), y.pixels(metrics))
            let edgeWidth = edge == nil ? 0 : max(0, edgeWidth.pixels(metrics))
            let bounds = reach.union(reach.moved(by: depth)).grown(by: edgeWidth + 1)
            return DrawItem(bounds: bounds) { (canvas: borrowing Canvas) throws(DrawingError) in
                let block = Extrusion(face: outline, depth: depth, lit: lit, shade: shade, light: light)
                paint(block, shade, edge, edgeWidth, canvas)
            }
        case .bevel(let color, let x, let y):
            return bevel(color, Point(x.pixels(metrics), y.pixels(metrics)), reach)
        case .inside(let layers):
            var inner = Metrics(width: box.width, height: box.height, em: metrics.em)
            inner.origin = Point(box.left, box.top)
            let items = try inside(layers, inner)
            return DrawItem(bounds: reach) { (canvas: borrowing Canvas) throws(DrawingError) in
                try canvas.clipped(to: outline) { () throws(DrawingError) in
                    for item in items { try item.draw(canvas) }
                }
            }
        }
    }

    private func stroke(_ paint: Paint, _ width: Double, _ side: Effect.Side, _ join: Canvas.Join, _ reach: Box)
        -> DrawItem
    {
        switch side {
        case .center:
            return DrawItem(bounds: reach.grown(by: width)) { (canvas: borrowing Canvas) throws(DrawingError) in
                canvas.stroke(outline, paint, width: width, join: join, over: box)
            }
        case .outside:
            // Drawn on both sides: the fill that follows covers the inner half.
            return DrawItem(bounds: reach.grown(by: 2 * width)) { (canvas: borrowing Canvas) throws(DrawingError) in
                canvas.quickly { canvas.stroke(outline, paint, width: 2 * width, join: join, over: box) }
            }
        case .inside:
            return DrawItem(bounds: reach) { (canvas: borrowing Canvas) throws(DrawingError) in
                canvas.quickly {
                    canvas.clipped(to: outline) {
                        canvas.stroke(outline, paint, width: 2 * width, join: join, over: box)
                    }
                }
            }
        }
    }

    private func paint(
        _ block: Extrusion, _ shade: Color, _ edge: Color?, _ edgeWidth: Double, _ canvas: borrowing Canvas
    ) {
        // What lies behind the sides and the face shows its outer border alone: dark on dark.
        canvas.quickly {
            if let edge, edgeWidth > 0 {
                canvas.stroke(block.rear, .color(edge), width: 2 * edgeWidth, over: box)
                canvas.stroke(outline, .color(edge), width: 2 * edgeWidth, over: box)
            }
            canvas.fill(block.silhouette, .color(shade), over: box)
        }
        for facet in block.facets { canvas.fill(facet.outline, .color(facet.color), over: box) }
    }

    private func bevel(_ color: Color, _ offset: Point, _ reach: Box) -> DrawItem {
        DrawItem(bounds: reach) { (canvas: borrowing Canvas) throws(DrawingError) in
            canvas.clipped(to: outline) {
                // All but the moved shape: what of the face the moved shape leaves uncovered.
                let around = Outline(reach.grown(by: offset.length + 2))
                let moved = outline.moved(by: offset)
                canvas.fillEvenOdd(Outline(around.elements + moved.elements), color, over: box)
            }
        }
    }

    private func shadow(_ color: Color, _ offset: Point, blur: Double, spread: Double, _ reach: Box) -> DrawItem {
        let bounds = reach.moved(by: offset).grown(by: 1.5 * blur + spread + 2)
        return DrawItem(bounds: bounds) { (canvas: borrowing Canvas) throws(DrawingError) in
            let area = PixelRect(
                x: Int(bounds.left.rounded(.down)), y: Int(bounds.top.rounded(.down)),
                width: Int(bounds.width.rounded(.up)) + 1, height: Int(bounds.height.rounded(.up)) + 1)
            // A wide blur leaves nothing that half the resolution could not show.
            let reduction = blur >= 12 ? 2 : 1
            let layer = try Canvas(coverageOf: area, reduction: reduction)
            let moved = outline.moved(by: offset)
            let black = Paint.color(Color(red: 0, green: 0, blue: 0))
            layer.fill(moved, black, over: box)
            if spread > 0 { layer.stroke(moved, black, width: 2 * spread, over: box) }
            for inset in insets { layer.draw(inset.picture, in: inset.box.moved(by: offset)) }
            let soft = try layer.coverage().blurred(radius: blur / 2 / Double(reduction))
            canvas.paint(color, through: reduction == 2 ? soft.doubled : soft, area)
        }
    }
}
