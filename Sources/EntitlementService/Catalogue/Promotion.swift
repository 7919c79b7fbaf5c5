internal import ServiceKit

/// Something that the catalogue gives for a time: a trial, a coupon or a campaign.
///
/// It gives a tier or an add-on by name, whose values are never copied, and it always ends.
struct Promotion: Hashable, Sendable {
  /// How it comes to a subject; the raw value is what catalogues say.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Each subject may start it once.
    case trial
    /// Each subject may redeem its code once.
    case coupon
    /// Every subject has it while it lasts.
    case campaign
  }

  /// The gift.
  enum Gift: Hashable, Sendable {
    /// The tier of this name.
    case tier(String)
    /// The add-on of this name.
    case addon(String)
  }

  /// Its name.
  var name: String
  /// How it comes to a subject.
  var kind: Kind
  /// The gift.
  var gift: Gift
  /// For which subjects it is.
  var subjectKinds = Set(Subject.Kind.allCases)
  /// How long a trial or a coupon lasts, in milliseconds; 0 for campaigns.
  var duration: Int64 = 0
  /// When it can be redeemed from, or begins; milliseconds since 1970, nil for always.
  var startsAt: Int64?
  /// When it can no longer be redeemed, or ends; nil for never, which campaigns cannot have.
  var endsAt: Int64?
  /// Of a coupon: its code, as `normalized` makes it; empty for the others.
  var code = ""
  /// The name of the trials of which a subject may use one, this among them; nil if it is alone.
  var trialGroup: String?
  /// How many subjects may redeem it; nil for any number.
  var countMax: Int64?

  /// Promotions of a catalogue, at most.
  static let countMax = 1000

  /// The name of its group, which is its own if it is alone.
  var group: String { trialGroup ?? name }

  /// Whether its window is open.
  func isOpen(at now: Int64) -> Bool {
    (startsAt.map { $0 <= now } ?? true) && isCurrent(endsAt, at: now)
  }

  /// A code as it is compared: letters of either case are the same.
  static func normalized(_ code: String) -> String { code.uppercased() }
}

extension Catalog {
  /// The promotion of this name.
  func promotion(_ name: String) -> Promotion? { promotions.first { $0.name == name } }

  /// The coupon with a code, whose letters may be of either case.
  ///
  /// Every code is compared, each in the same time: how long it takes says nothing about any of them.
  func coupon(code: String) -> Promotion? {
    let wanted = Digests.sha256(Promotion.normalized(code))
    var found: Promotion?
    for promotion in promotions where promotion.kind == .coupon {
      if Digests.areEqual(Digests.sha256(promotion.code), wanted) { found = promotion }
    }
    return found
  }

  /// The offer of a promotion, unless it is gone from the catalogue.
  func offer(of promotion: Promotion) -> Offer? {
    switch promotion.gift {
    case .tier(let name): tier(name)
    case .addon(let name): addon(name)
    }
  }
}

extension Promotion {
  /// Whether it is a campaign that subjects of this kind have at `now`.
  func isCampaign(for subjectKind: Subject.Kind, at now: Int64) -> Bool {
    kind == .campaign && isOpen(at: now) && subjectKinds.contains(subjectKind)
  }
}
