internal import HTTPServing
internal import KonzaAPI
internal import KonzaSystem
internal import QRCoding

/// `/v1/learning/classes`: a teacher leads a quiz at the kiosk, tablets and telephones join by a short code.
extension LearningRoutes {
    private struct Made: Encodable {
        let code: String
        let key: String
        let link: String
        let qr: [String]
        let board: Board
    }

    private struct Board: Encodable {
        struct Member: Encodable {
            let name: String
            let asked: Int
            let of: Int
        }

        struct Missed: Encodable {
            let item: String
            let name: String
            let nameEs: String?
            let times: Int
        }

        let quiz: String
        let state: ClassRoom.State
        let seconds: Double
        let secondsLeft: Double
        let right: Int
        let members: [Member]
        let missed: [Missed]

        init(_ room: ClassRoom, at now: Double) {
            quiz = room.quiz.name
            state = room.state(at: now)
            seconds = room.seconds
            secondsLeft = room.left(at: now)
            right = room.right
            members = room.progress.map { Member(name: $0.name, asked: $0.asked, of: $0.of) }
            missed =
                state != .over
                ? []
                : room.missed(5).map {
                    Missed(item: $0.item.id, name: $0.item.name, nameEs: $0.item.nameEs, times: $0.times)
                }
        }
    }

    private struct Joined: Encodable {
        let ticket: String
        let turn: Turn
    }

    private struct Turn: Encodable {
        struct Question: Encodable {
            let number: Int
            let item: String
            let name: String
            let nameEs: String?
            let choices: [String]
        }

        struct Judged: Encodable {
            let right: Bool
            let answers: [String]
        }

        let quiz: String
        let state: ClassRoom.State
        let name: String
        let secondsLeft: Double
        let right: Int
        let asked: Int
        let of: Int
        let question: Question?
        let judged: Judged?

        init?(_ room: ClassRoom, _ ticket: String, _ judgement: ClassRoom.Judgement?, at now: Double) {
            guard let figures = room.figures(ticket) else { return nil }
            quiz = room.quiz.name
            state = room.state(at: now)
            name = figures.name
            secondsLeft = room.left(at: now)
            right = figures.right
            asked = figures.asked
            of = figures.of
            question = room.question(ticket, at: now).map {
                Question(
                    number: $0.number, item: $0.item.id, name: $0.item.name, nameEs: $0.item.nameEs,
                    choices: $0.choices)
            }
            judged = judgement.map { Judged(right: $0.isRight, answers: $0.right) }
        }
    }

    private static let teachers = Access.only(.kiosk, .collector, .ranger, .keeper)

    private static func body(_ schema: String) -> RequestBody {
        RequestBody(schema: schema, isRequired: true, limit: 2048)
    }

    var classRoutes: [Route] {
        [
            Route(
                .post, "/v1/learning/classes", access: Self.teachers, operation: "openClass",
                summary: "Opens a class, which members join by its code", body: Self.body("ClassRequest"),
                replies: [Reply(201, "The code, and the key by which it is led.", schema: "ClassMade")],
                handler: .asynchronous { request in
                    var members = RequestMembers(try request.json())
                    let quiz = members.string("quiz") ?? ""
                    let seconds = members.integer("seconds", in: ClassRegister.seconds)
                    if !ClassSchemas.quizzes.contains(quiz) {
                        members.fault("quiz", "expected one of \(ClassSchemas.quizzes.joined(separator: ", "))")
                    }
                    if seconds == nil { members.fault("seconds", "missing member") }
                    try members.finish()
                    let (code, key, pass) = try classed { () throws(ClassError) in
                        try classes.open(quiz, seconds: Double(seconds ?? 60))
                    }
                    let link = link(code)
                    let room = try classed { () throws(ClassError) in try classes.room(code) }
                    return try .json(
                        Made(
                            code: code, key: key, link: link, qr: (try? QRCode("\(link)&pass=\(pass)"))?.rows ?? [],
                            board: Board(room, at: classes.now)), status: 201)
                }
            ).failing(.invalidRequest, .malformedRequest, .conflict, .unavailable),
            Route(
                .get, "/v1/learning/classes/{code}", access: Self.teachers, operation: "getClass",
                summary: "The shared board: how far a class is, without who was right",
                replies: [Reply(200, "The board.", schema: "ClassBoard")],
                handler: .immediate { request throws(Problem) in
                    let room = try classed { () throws(ClassError) in try classes.room(request.parameter("code")) }
                    return try .json(Board(room, at: classes.now))
                }
            ).failing(.notFound).taking("code", .string),
            Route(
                .patch, "/v1/learning/classes/{code}", access: Self.teachers, operation: "leadClass",
                summary: "Starts or ends a class", body: Self.body("ClassChange"),
                replies: [Reply(200, "The board afterwards.", schema: "ClassBoard")],
                handler: .asynchronous { request in
                    var members = RequestMembers(try request.json())
                    let key = members.string("key") ?? ""
                    let state = members.string("state").flatMap { ClassRoom.State(rawValue: $0) }
                    if state == nil || state == .open { members.fault("state", "expected running or over") }
                    try members.finish()
                    let room = try classed { () throws(ClassError) in
                        try classes.set(state ?? .over, of: request.parameter("code"), key: key)
                    }
                    return try .json(Board(room, at: classes.now))
                }
            ).failing(.notFound, .conflict, .invalidRequest, .malformedRequest).taking("code", .string),
            Route(
                .post, "/v1/learning/classes/{code}/members", access: .everyone, operation: "joinClass",
                summary: "Joins a class, under a nickname that the station gives",
                body: RequestBody(schema: "ClassJoinRequest", limit: 1024),
                replies: [Reply(201, "The ticket by which the member is known.", schema: "ClassJoined")],
                handler: .asynchronous { request in
                    let code = request.parameter("code")
                    var members = RequestMembers(try request.json())
                    let pass = members.string("pass")
                    try members.finish()
                    let principal = request.principal
                    let device = principal.client ?? principal.account.address ?? "local"
                    let (ticket, _) = try classed { () throws(ClassError) in
                        try classes.join(code, pass: pass, from: device)
                    }
                    let room = try classed { () throws(ClassError) in try classes.room(code) }
                    guard let turn = Turn(room, ticket, nil, at: classes.now) else { throw Self.noClass }
                    return try .json(Joined(ticket: ticket, turn: turn), status: 201)
                }
            ).failing(.notFound, .conflict, .tooManyRequests, .invalidRequest, .malformedRequest).taking(
                "code", .string),
            Route(
                .post, "/v1/learning/classes/{code}/turns", access: .everyone, operation: "takeClassTurn",
                summary: "What a member is asked; with an answer, how it was judged and what is asked next",
                body: Self.body("ClassTurnRequest"),
                replies: [
                    Reply(200, "What is asked now. An answer that came too late counts nothing.", schema: "ClassTurn")
                ],
                handler: .asynchronous { request in
                    var members = RequestMembers(try request.json())
                    let ticket = members.string("ticket") ?? ""
                    let number = members.integer("question", in: 1...1000)
                    let choice = members.string("choice")
                    if (number == nil) != (choice == nil) {
                        members.fault("choice", "comes with question, and question with choice")
                    }
                    try members.finish()
                    let answer = number.flatMap { number in choice.map { (number: number, choice: $0) } }
                    let (room, judgement) = try classed { () throws(ClassError) in
                        try classes.turn(ticket, in: request.parameter("code"), answer: answer)
                    }
                    guard let turn = Turn(room, ticket, judgement, at: classes.now) else { throw Self.noClass }
                    return try .json(turn)
                }
            ).failing(.notFound, .invalidRequest, .malformedRequest).taking("code", .string),
        ]
    }

    private static var noClass: Problem {
        Problem(.notFound, "cannot find the class: it is over, or the code is another one; look at the board")
    }

    private func classed<Value>(_ body: () throws(ClassError) -> Value) throws(Problem) -> Value {
        do throws(ClassError) {
            return try body()
        } catch {
            switch error {
            case .noClass, .notMember: throw Self.noClass
            case .guessed(let seconds):
                let seconds = seconds.rounded(.up)
                throw Problem(
                    .tooManyRequests,
                    "cannot take the code now: too many were wrong; scan the one on the board, or wait \(Int(seconds)) s",
                    figures: ["retrySeconds": seconds])
            case .notTeacher:
                throw Problem(.conflict, "cannot lead the class: another screen does; open one of your own")
            case .full:
                throw Problem(
                    .conflict,
                    "cannot join the class: it is over, or has \(ClassRoom.mostMembers) members; ask for another one")
            case .tooMany:
                throw Problem(
                    .conflict, "cannot open a class: there are \(ClassRegister.mostClasses) already; end one first")
            case .noQuiz:
                throw Problem(.unavailable, "cannot ask this: the pages lack its data; install the package again")
            }
        }
    }
}
