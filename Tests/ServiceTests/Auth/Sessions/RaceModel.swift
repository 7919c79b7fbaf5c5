/// A user with two sessions, `a` and `b`, as a simple model of what AuthService keeps of it.
struct RaceWorld: Hashable {
  /// Which sessions live; `new` is one that signing in began.
  var sessions: Set<String> = ["a", "b"]
  var password = "old"
  var name = "Ada"

  /// What a call does when it runs alone, and what it answers.
  mutating func apply(_ move: RaceMove) -> String {
    if let session = move.session, !sessions.contains(session) { return "REFUSED" }
    switch move {
    case .signIn(let shown), .signUpAgain(let shown):
      guard shown == password else { return "REFUSED" }
      sessions.insert("new")
    case .changePassword(let session, let old, let new):
      guard old == password else { return "REFUSED" }
      password = new
      sessions = [session]
    case .revokeAll: sessions = []
    case .revokeOthers(let session): sessions = [session]
    case .revoke(_, let other): sessions.remove(other)
    case .refresh: break
    case .updateProfile(_, let new): name = new
    case .clearDefaults: break
    }
    return "OK"
  }

  /// What both orders of two calls come to.
  static func orders(_ pair: RacePair) -> Set<RaceResult> {
    var (forth, back) = (RaceWorld(), RaceWorld())
    let first = forth.apply(pair.first)
    let forthAnswers = [first, forth.apply(pair.second)]
    let second = back.apply(pair.second)
    let backAnswers = [back.apply(pair.first), second]
    return [
      RaceResult(world: forth, answers: forthAnswers, of: pair),
      RaceResult(world: back, answers: backAnswers, of: pair),
    ]
  }
}

/// Two calls that race.
struct RacePair: Hashable, Sendable, CustomStringConvertible {
  var first: RaceMove
  var second: RaceMove

  init(_ first: RaceMove, _ second: RaceMove) {
    self.first = first
    self.second = second
  }

  var description: String { "\(first) and \(second)" }
}

/// One call in a race.
enum RaceMove: Hashable, Sendable {
  case signIn(String)
  case signUpAgain(String)
  case changePassword(String, from: String, to: String)
  case revokeAll(String)
  case revokeOthers(String)
  case revoke(String, String)
  case refresh(String)
  case updateProfile(String, String)
  case clearDefaults(String)

  /// The session that it is made in.
  var session: String? {
    switch self {
    case .signIn, .signUpAgain: nil
    case .changePassword(let session, _, _), .revokeAll(let session), .revokeOthers(let session),
      .revoke(let session, _), .refresh(let session), .updateProfile(let session, _),
      .clearDefaults(let session):
      session
    }
  }
}

/// What a race came to.
struct RaceResult: Hashable, CustomStringConvertible {
  var world: RaceWorld
  var answers: [String]

  /// Takes for the same what is the same to callers: a session that somebody ended before its answer
  /// was sent may have ended before it began.
  init(world: RaceWorld, answers: [String], of pair: RacePair) {
    self.world = world
    self.answers = zip(answers, [pair.first, pair.second]).map { answer, move in
      switch move {
      case .signIn, .signUpAgain: world.sessions.contains("new") ? answer : "REFUSED"
      default: answer
      }
    }
  }

  var description: String {
    "\(answers) \(world.sessions.sorted()) password \(world.password), name \(world.name)"
  }
}
