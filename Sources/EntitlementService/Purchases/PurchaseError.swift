internal import RPCKit
internal import ServiceKit

/// Errors of purchases.
enum PurchaseError {
  private static let errors = ErrorCatalog.entitlement

  /// Data that claims to come from the store was not accepted: the reason tells forged data, data of another
  /// application and a failure of ours apart.
  static func rejected(_ error: RefusedStoreData) -> RPCError {
    switch error {
    case .invalid(let reason):
      errors.invalidRequest(reason, "the signed data was rejected; see the reason")
    case .retry:
      errors.unavailable(
        "VERIFICATION_UNAVAILABLE",
        "the signed data cannot be verified right now; retry after the given delay"
      )
    }
  }

  /// A transaction without a field that every purchase has.
  static func transactionIncomplete(lacks field: String) -> RPCError {
    errors.invalidRequest(
      "TRANSACTION_INCOMPLETE",
      "the transaction has no \(field); send it as the store signed it",
      ["name": field]
    )
  }

  /// The request names a store whose purchases are not taken here.
  static func storeUnknown(_ name: String, known: [String]) -> RPCError {
    errors.invalid(
      "store",
      "STORE_UNKNOWN",
      "must be one of \(known.joined(separator: ", ")), not \"\(name)\""
    )
  }

  /// The purchase belongs to another user.
  static let alreadyClaimed = errors.precondition(
    "ALREADY_CLAIMED",
    "the purchase belongs to another user"
  )

  /// The caller has bought the purchase for another subject.
  static func boundElsewhere(_ subject: Subject) -> RPCError {
    errors.error(
      .alreadyExists,
      "BOUND_ELSEWHERE",
      "the purchase counts for \(subject.kind.rawValue) \(subject.id); move it with Purchases/Move",
      ["subject_kind": subject.kind.rawValue, "subject_id": subject.id]
    )
  }

  /// The product is not sold to subjects of this kind, or the purchase comes from Family Sharing.
  static func forOthers(_ product: String, _ kind: Subject.Kind) -> RPCError {
    errors.precondition(
      "PRODUCT_FOR_OTHERS",
      "product \"\(product)\" cannot be bought for a subject of kind \(kind.rawValue); see `subjects` of "
        + "the product in the catalogue",
      ["name": product, "subject_kind": kind.rawValue]
    )
  }

  /// The subject has had a trial of this group.
  static func trialUsed(_ product: String) -> RPCError {
    errors.precondition(
      "TRIAL_USED",
      "the subject has used its free trial; product \"\(product)\" counts once a period is paid for",
      ["name": product]
    )
  }

  /// The catalogue gives points for a product that is not used up.
  static func misconfigured(_ product: String) -> RPCError {
    errors.precondition(
      "PRODUCT_MISCONFIGURED",
      "the catalogue gives points for product \"\(product)\", which the store does not sell as a consumable",
      ["name": product]
    )
  }

  /// A consumable stays where it was given.
  static let notMovable = errors.precondition(
    "NOT_MOVABLE",
    "consumable purchases cannot be moved: their points were given once"
  )

  /// A consumable was given to a user whose account is deleted.
  static let alreadyUsedUp = errors.precondition(
    "ALREADY_CLAIMED",
    "the consumable purchase was given to an account before, and is given only once"
  )

  /// The purchase changed hands too often today.
  static let transferLimit = errors.precondition(
    "TRANSFER_LIMIT",
    "the purchase was transferred too often today; try again tomorrow"
  )

  /// Whether an error says that a purchase belongs to somebody else, so that the caller does not get it.
  static func isClaim(_ error: RPCError) -> Bool {
    [alreadyClaimed.reason, transferLimit.reason, "BOUND_ELSEWHERE"].contains(error.reason)
  }

  /// Whether an error is about one transaction and not about the call.
  static func isOfTransaction(_ error: RPCError) -> Bool {
    isClaim(error) || ofTransactions.contains(error.reason ?? "")
  }

  private static let ofTransactions: Set<String> = [
    "TRANSACTION_INCOMPLETE", "PRODUCT_FOR_OTHERS", "TRIAL_USED", "PRODUCT_MISCONFIGURED",
    "POINTS_LIMIT",
  ]

  /// A receipt or a transaction without the product.
  static func productNotInReceipt(_ name: String) -> RPCError {
    errors.precondition(
      "PRODUCT_NOT_IN_RECEIPT",
      "the receipt has no purchase of product \"\(name)\"; restore purchases first",
      ["name": name]
    )
  }

  /// A notification from a source that sent too many that were not genuine.
  static func tooManyForgeries(retryAfter: Duration) -> RPCError {
    errors.limited(
      "TOO_MANY_ATTEMPTS",
      "too many forged notifications from this network address; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// Whether the user whom a purchase names exists cannot be found out.
  static let authUnavailable = errors.unavailable(
    "AUTH_UNAVAILABLE",
    "AuthService cannot be asked about users right now; retry after the given delay"
  )
}
