internal import ServiceKit

extension Catalog {
  /// Reads a catalogue; names the place of the first thing that is wrong.
  ///
  /// Everything that is referred to must exist, and every value must be of its feature's kind: what
  /// loads cannot fail to resolve.
  init(_ field: JSONField) throws(JSONDecodingError) {
    var members = try field.members()
    // For editors: it names the JSON Schema of the file.
    _ = try members.optional("$schema")?.string()
    var features: [String: Feature] = [:]
    var featureMembers = try members.required("features").members()
    for (key, field) in featureMembers.rest() {
      features[key] = try Self.feature(key, field)
    }
    self.features = features
    tiers = try Self.offers(try members.required("tiers"), .tier, features)
    tiers.sort { ($0.rank, $0.name) < ($1.rank, $1.name) }
    addons = try Self.offers(members.optional("addons"), .addon, features)
    addons.sort { $0.name < $1.name }
    products = try Self.offers(members.optional("products"), .product, features, tiers, addons)
    products.sort { $0.name < $1.name }
    promotions = try Self.promotions(
      members.optional("promotions"),
      tiers: tiers,
      addons: addons
    )
    defaultTier = nil
    unknownTier = nil
    if let field = members.optional("default_tier") { defaultTier = try knownTier(field) }
    if let field = members.optional("unknown_tier") { unknownTier = try knownTier(field) }
    try members.finish()
  }

  /// Reads a catalogue from the text of a file.
  ///
  /// Throws `JSONError` or `JSONDecodingError`.
  init(json bytes: [UInt8]) throws {
    let limits = JSONLimits(byteCountMax: 4 << 20)
    try self.init(JSONField(try JSONReader.read(bytes, limits: limits)))
  }

  private func knownTier(_ field: JSONField) throws(JSONDecodingError) -> String {
    let name = try field.string()
    guard tier(name) != nil else { throw field.error("unknown tier \"\(name)\"") }
    return name
  }

  private static func feature(
    _ key: String,
    _ field: JSONField
  ) throws(JSONDecodingError) -> Feature {
    guard (1...64).contains(key.utf8.count) else {
      throw field.error("must have 1 to 64 bytes")
    }
    var members = try field.members()
    let kind = try members.required("kind").choice(of: FeatureKind.self)
    var fallback = kind.nothing
    if let field = members.optional("default") { fallback = try value(field, of: kind) }
    let meter = try meter(&members, of: kind)
    try members.finish()
    return Feature(key: key, fallback: fallback, meter: meter)
  }

  /// `"metered": "day"` or `"month"`, and `"soft": true` beside it for a limit that only warns.
  private static func meter(
    _ members: inout JSONMembers,
    of kind: FeatureKind
  ) throws(JSONDecodingError) -> Meter? {
    let (periodField, softField) = (members.optional("metered"), members.optional("soft"))
    guard let periodField else {
      if let softField { throw softField.error("is only for metered limits") }
      return nil
    }
    guard kind == .limit else { throw periodField.error("is only for limits") }
    return Meter(
      period: try periodField.choice(of: Meter.Period.self),
      isSoft: try softField?.boolean() ?? false
    )
  }

  /// The kind of an element of a list of offers.
  private enum OfferKind {
    case tier, addon, product
  }

  private static func offers(
    _ field: JSONField?,
    _ kind: OfferKind,
    _ features: [String: Feature],
    _ tiers: [Offer] = [],
    _ addons: [Offer] = []
  ) throws(JSONDecodingError) -> [Offer] {
    guard let field else { return [] }
    var offers: [Offer] = []
    for element in try field.elements() {
      var members = try element.members()
      let nameField = try members.required("name")
      let name = try nameField.string()
      guard (1...128).contains(name.utf8.count) else {
        throw nameField.error("must have 1 to 128 bytes")
      }
      guard !offers.contains(where: { $0.name == name }) else {
        throw nameField.error("\"\(name)\" is given twice")
      }
      var offer = Offer(name: name, values: [:])
      // Features need not be all that a product gives.
      var isOptional = false
      switch kind {
      case .tier: offer.rank = Int32(try members.required("rank").integer(in: 0...1_000_000))
      case .product:
        isOptional = try offer.readProduct(&members, tiers, addons)
      case .addon: break
      }
      let valueField = try isOptional ? members.optional("features") : members.required("features")
      var valueMembers = try valueField?.members()
      for (key, field) in valueMembers?.rest() ?? [] {
        guard let feature = features[key] else { throw field.error("unknown feature") }
        offer.values[key] = try value(field, of: feature.kind).better(than: offer.values[key])
      }
      try members.finish()
      offers.append(offer)
    }
    return offers
  }

  /// `true`, `false`, a number or `"unlimited"`.
  private static func value(
    _ field: JSONField,
    of kind: FeatureKind
  ) throws(JSONDecodingError) -> FeatureValue {
    switch kind {
    case .flag: return .flag(try field.boolean())
    case .limit:
      if field.value.string == "unlimited" { return .limit(.unlimited) }
      guard field.value.number != nil else {
        throw field.error("must be a number or \"unlimited\", not \(field.value.kind)")
      }
      return .limit(.atMost(try field.integer(in: 0...Int64.max)))
    }
  }
}
