internal import KonzaModel

/// The page beside a postcard that a visitor took home by a public link. It has no script, names nothing but the station, and
/// asks search engines to pass it over. It is the same for everybody, so it says everything in the languages of the kiosk.
enum PublicPage {
    private struct Words {
        let language: String
        let title: String
        let alternative: String
        let save: String
        let ends: String
    }

    private static let languages = [
        Words(
            language: "en", title: "A postcard for you", alternative: "A postcard from the prairie",
            save: "Save the picture",
            ends: "Whoever has this address sees the postcard until the day that was chosen; then it is removed."),
        Words(
            language: "es", title: "Una postal para ti", alternative: "Una postal de la pradera",
            save: "Guardar la imagen",
            ends: "Quien tenga esta dirección ve la postal hasta el día elegido; después se borra."),
    ]

    /// The end is not on it: it may be put off, and no object is ever replaced.
    static func text(station: String) -> String {
        let sections = languages.map { words in
            """
            <section lang="\(words.language)">
            <h2>\(words.title)</h2>
            <p><a href="postcard.jpg" download>\(words.save)</a></p>
            <p class="small">\(words.ends)</p>
            </section>
            """
        }
        let name = XMLText.escaped(station)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex, nofollow">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="content-security-policy" content="default-src 'none'; img-src 'self'; style-src 'unsafe-inline'">
            <title>\(name)</title>
            <style>
            body { background: #f7f2e6; color: #2b2118; font: 1.1rem/1.5 sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
            img { display: block; height: auto; max-width: 100%; }
            .small { font-size: .9rem; }
            </style>
            </head>
            <body>
            <h1>\(name)</h1>
            <img src="postcard.jpg" alt="\(languages[0].alternative)">
            \(sections.joined(separator: "\n"))
            </body>
            </html>

            """
    }
}
