internal import ServiceKit

extension Catalog {
  /// Reads the promotions of a catalogue whose tiers and add-ons are known.
  ///
  /// `{"name": "try-pro", "kind": "trial", "tier": "pro", "days": 14, "for": ["organization"]}`
  static func promotions(
    _ field: JSONField?,
    tiers: [Offer],
    addons: [Offer]
  ) throws(JSONDecodingError) -> [Promotion] {
    guard let field else { return [] }
    let elements = try field.elements()
    guard elements.count <= Promotion.countMax else {
      throw field.error("must have at most \(Promotion.countMax) elements")
    }
    var promotions: [Promotion] = []
    var (names, codes): (Set<String>, Set<String>) = ([], [])
    for element in elements {
      var members = try element.members()
      let nameField = try members.required("name")
      let name = try nameField.string()
      guard (1...128).contains(name.utf8.count) else {
        throw nameField.error("must have 1 to 128 bytes")
      }
      guard names.insert(name).inserted else { throw nameField.error("\"\(name)\" is given twice") }
      let kind = try members.required("kind").choice(of: Promotion.Kind.self)
      let gift = try gift(element, &members, tiers, addons)
      var promotion = Promotion(name: name, kind: kind, gift: gift)
      if let field = members.optional("for") { promotion.subjectKinds = try field.subjectKinds() }
      promotion.startsAt = try instant(members.optional("from"))
      promotion.endsAt = try instant(members.optional("until"))
      if let from = promotion.startsAt, let until = promotion.endsAt, until <= from {
        throw element.error("must not end before it begins")
      }
      if kind == .campaign {
        guard promotion.endsAt != nil else { throw element.error("needs \"until\": campaigns end") }
      } else {
        promotion.duration = try members.required("days").days(in: 1...3660)
        promotion.trialGroup = try members.optional("trial_group")?.trialGroup()
        promotion.countMax = try members.optional("limit")?.integer(in: 1...Int64.max)
      }
      if kind == .coupon {
        let codeField = try members.required("code")
        promotion.code = try code(codeField)
        guard codes.insert(promotion.code).inserted else {
          throw codeField.error("\"\(promotion.code)\" is given twice")
        }
      }
      try members.finish()
      promotions.append(promotion)
    }
    return promotions.sorted { $0.name < $1.name }
  }

  private static func gift(
    _ element: JSONField,
    _ members: inout JSONMembers,
    _ tiers: [Offer],
    _ addons: [Offer]
  ) throws(JSONDecodingError) -> Promotion.Gift {
    let (tierField, addonField) = (members.optional("tier"), members.optional("addon"))
    switch (tierField, addonField) {
    case (let field?, nil):
      let name = try field.string()
      guard tiers.contains(where: { $0.name == name }) else {
        throw field.error("unknown tier \"\(name)\"")
      }
      return .tier(name)
    case (nil, let field?):
      let name = try field.string()
      guard addons.contains(where: { $0.name == name }) else {
        throw field.error("unknown add-on \"\(name)\"")
      }
      return .addon(name)
    default: throw element.error("must give either a \"tier\" or an \"addon\"")
    }
  }

  private static func instant(_ field: JSONField?) throws(JSONDecodingError) -> Int64? {
    guard let field else { return nil }
    guard let instant = InstantText.milliseconds(try field.string()) else {
      throw field.error("must be a date and time like 2026-12-31T00:00:00Z")
    }
    return instant
  }

  /// Letters, digits and hyphens, enough of them that nobody finds a code by trying.
  private static func code(_ field: JSONField) throws(JSONDecodingError) -> String {
    let code = Promotion.normalized(try field.string())
    let isValid = code.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isValid, (6...64).contains(code.utf8.count) else {
      throw field.error("must have 6 to 64 letters, digits and hyphens")
    }
    return code
  }
}
