/// The objects that a call can be about, by the names that requests have for them.
struct MatrixObjects: Sendable {
  let ids: [String: String]
  /// Whether they are the house in which the roles are held.
  let isHome: Bool

  /// What is in a house; `session` is one of its owner's.
  init(_ house: House, session: String, isHome: Bool = false) {
    self.isHome = isHome
    ids = [
      "portfolio": house.portfolio, "property": house.property, "unit": house.unit,
      "door": house.door, "gate": house.gate, "cellar": house.cellar, "pass": house.pass,
      "session": session, "user": house.owner.id,
    ]
  }

  private init(unknown: [String: String]) { (ids, isHome) = (unknown, false) }

  /// Made up, each in its right form.
  static let unknown = MatrixObjects(
    unknown: [
      "portfolio": "prt_01jzzzzzzzzzzzzzzzzzzzzzzz", "property": "prp_01jzzzzzzzzzzzzzzzzzzzzzzz",
      "unit": "unt_01jzzzzzzzzzzzzzzzzzzzzzzz", "door": "dev_01jzzzzzzzzzzzzzzzzzzzzzz1",
      "gate": "dev_01jzzzzzzzzzzzzzzzzzzzzzz2", "cellar": "dev_01jzzzzzzzzzzzzzzzzzzzzzz3",
      "pass": "asc_01jzzzzzzzzzzzzzzzzzzzzzzz", "session": "ses_01jzzzzzzzzzzzzzzzzzzzzzzz",
      "user": "usr_01jzzzzzzzzzzzzzzzzzzzzzzz",
    ]
  )

  /// A text with the identifiers replaced by their names, so that two can be compared.
  func nameless(_ text: String) -> String {
    ids.reduce(text) { $0.replacing($1.value, with: "<\($1.key)>") }
  }
}
