/// Why the entitlements of a subject changed; the raw value is what stores keep.
enum ChangeCause: String, Hashable, Sendable, CaseIterable {
  /// A device handed in a purchase.
  case purchase
  /// The user restored a purchase.
  case restore
  /// The store reported a purchase or its renewal.
  case notification
  /// A purchase was refunded.
  case refund
  /// A purchase was revoked.
  case revocation
  /// The purchase went over to another subject.
  case transfer
  /// The buyer may no longer buy for the subject, so a renewal does not count for it.
  case buyerLeft = "buyer_left"
  /// An operator changed the subscription.
  case `operator`
  /// A service changed the subscription.
  case service
  /// A trial was started.
  case trial
  /// A coupon was redeemed.
  case coupon
  /// A change was scheduled or cancelled.
  case scheduling
  /// A scheduled change took effect.
  case schedule
  /// Something began by the clock.
  case start
  /// Something ended by the clock.
  case expiry
}

/// The effect on a part of a subject's entitlements; the raw value is what stores keep.
enum ChangeEffect: String, Hashable, Sendable, CaseIterable {
  /// It began.
  case began
  /// It ended.
  case ended
  /// It goes on and is another, or it was not there before or after.
  case changed

  /// The effect on something that was there before or not, and is there now or not.
  init(before: Bool, after: Bool) {
    self = before == after ? .changed : after ? .began : .ended
  }
}

/// Something that has a say in what a subject is entitled to.
struct EntitlementPart: Hashable, Sendable {
  /// The kind of thing; the raw value is what stores keep.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The tier of the subscription.
    case tier
    /// An add-on of the subscription.
    case addon
    /// An exception; its name is the feature.
    case override
    /// A purchase; its name is the product.
    case purchase
    /// A trial or a coupon.
    case promotion
  }

  /// The kind of thing.
  var kind: Kind
  /// Its name.
  var name: String

  /// Names a part.
  init(_ kind: Kind, _ name: String) {
    self.kind = kind
    self.name = name
  }
}

/// The change of one part.
struct PartChange: Hashable, Sendable {
  /// Which part.
  var part: EntitlementPart
  /// The effect on it.
  var effect: ChangeEffect
  /// When it ends after that: milliseconds since 1970, nil for never.
  var endsAt: Int64?

  /// Describes a change.
  init(_ part: EntitlementPart, _ effect: ChangeEffect, endsAt: Int64? = nil) {
    self.part = part
    self.effect = effect
    self.endsAt = endsAt
  }
}

/// A change that the clock makes, unless something else is changed before.
struct DueChange: Hashable, Sendable {
  /// When: milliseconds since 1970.
  var at: Int64
  /// Why.
  var cause: ChangeCause
  /// The change.
  var change: PartChange
}

/// Whether something that ends then is still there.
func isCurrent(_ validUntil: Int64?, at now: Int64) -> Bool {
  validUntil.map { now < $0 } ?? true
}
