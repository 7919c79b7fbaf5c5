/// An App Store Server Notification, version 2, with everything inside it verified.
struct AppleNotification: Hashable, Sendable {
  /// The type: `REFUND`.
  ///
  /// Apple adds types; unknown ones are kept.
  var type: String
  /// Which kind of it: `VOLUNTARY`.
  var subtype: String?
  /// The same when Apple sends it again.
  var uuid: String
  /// When Apple signed it.
  var signedDate: Int64?
  /// State of the subscription: 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
  var status: Int64?
  /// The transaction it is about.
  var transaction: Verified<AppleTransaction>?
  /// The next event of the subscription; only with a transaction of the same purchase.
  var renewal: AppleRenewal?
  /// For consent that was withdrawn: the application's user in Apple's terms.
  var appTransactionID: String?
  /// Of a consumption request: why the user asked for a refund, in Apple's words.
  var consumptionRequestReason: String?
}

/// The parts of a notification before what is inside them is verified.
struct NotificationEnvelope {
  /// Its fields; those with signatures of their own are still empty.
  let notification: AppleNotification
  let signedTransaction: String?
  let signedRenewal: String?
  let signedAppTransaction: String?
  let bundleID: String?
  let appleID: Int64?
  /// Apple's name of the environment.
  let environmentName: String?

  init(_ fields: PayloadFields) throws(AppleVerificationError) {
    guard let type = try fields.text("notificationType"), !type.isEmpty,
      let uuid = try fields.text("notificationUUID"), !uuid.isEmpty
    else { throw .invalid(.malformed) }
    let data = try fields.fields("data")
    let appData = try fields.fields("appData")
    let purchaseToken = try fields.fields("externalPurchaseToken")
    notification = AppleNotification(
      type: type,
      subtype: fields.word("subtype"),
      uuid: uuid,
      signedDate: try fields.instant("signedDate"),
      status: data?.integer("status"),
      consumptionRequestReason: data?.word("consumptionRequestReason")
    )
    signedTransaction = try data?.signedData("signedTransactionInfo")
    signedRenewal = try data?.signedData("signedRenewalInfo")
    signedAppTransaction = try appData?.signedData("signedAppTransactionInfo")
    var identity = data ?? appData ?? purchaseToken
    if identity == nil { identity = try fields.fields("summary") }
    guard let identity else { throw .invalid(.malformed) }
    bundleID = try identity.text("bundleId")
    appleID = identity.integer("appAppleId")
    if data == nil, appData == nil, let purchaseToken {
      // These tokens have no environment field; Apple marks the identifier instead.
      let identifier = try purchaseToken.text("externalPurchaseId") ?? ""
      environmentName = identifier.hasPrefix("SANDBOX") ? "Sandbox" : "Production"
    } else {
      environmentName = try identity.text("environment")
    }
  }
}
