internal import ServiceKit

extension Catalog.Offer {
  /// Reads the members of a product besides its features; whether it gives anything by them.
  ///
  /// `{"name": "team-monthly", "tier": "pro", "subjects": ["organization"], "trial_group": "pro"}`
  mutating func readProduct(
    _ members: inout JSONMembers,
    _ tiers: [Catalog.Offer],
    _ addons: [Catalog.Offer]
  ) throws(JSONDecodingError) -> Bool {
    length = try members.optional("days")?.days(in: 1...36_600)
    trialGroup = try members.optional("trial_group")?.trialGroup()
    if let field = members.optional("subjects") { subjectKinds = try field.subjectKinds() }
    let (tierField, addonsField) = (members.optional("tier"), members.optional("addons"))
    if let tierField {
      tier = try give(tierField, of: tiers, "tier")
    }
    for field in try addonsField?.elements() ?? [] { _ = try give(field, of: addons, "add-on") }
    if let field = members.optional("points") { points = try Catalog.PointsGift(field) }
    return tierField != nil || addonsField != nil || points != nil
  }

  /// Gives all that a tier or an add-on includes; its name.
  private mutating func give(
    _ field: JSONField,
    of offers: [Catalog.Offer],
    _ kind: String
  ) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard let offer = offers.first(where: { $0.name == name }) else {
      throw field.error("unknown \(kind) \"\(name)\"")
    }
    for (key, value) in offer.values { values[key] = value.better(than: values[key]) }
    return name
  }
}

extension Catalog.PointsGift {
  /// Reads `{"app": "com.example.math", "points": 500}`.
  fileprivate init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    let appField = try members.required("app")
    let app = try appField.string()
    guard (1...128).contains(app.utf8.count) else {
      throw appField.error("must have 1 to 128 bytes")
    }
    self.init(app: app, points: try members.required("points").integer(in: 1...1_000_000))
    try members.finish()
  }
}

extension JSONField {
  /// Kinds of subject, at least one.
  func subjectKinds() throws(JSONDecodingError) -> Set<Subject.Kind> {
    var kinds: Set<Subject.Kind> = []
    for element in try elements() { kinds.insert(try element.choice(of: Subject.Kind.self)) }
    guard !kinds.isEmpty else { throw error("must name at least one kind of subject") }
    return kinds
  }

  /// The name of trials of which a subject may use one.
  func trialGroup() throws(JSONDecodingError) -> String {
    let name = try string()
    guard (1...128).contains(name.utf8.count) else { throw error("must have 1 to 128 bytes") }
    return name
  }
}
