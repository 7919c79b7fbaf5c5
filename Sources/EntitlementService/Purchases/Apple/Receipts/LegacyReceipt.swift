internal import ServiceKit

/// A legacy receipt of StoreKit 1: an application on a device, and the purchases in it.
struct LegacyReceipt: Hashable, Sendable {
  /// Apple's name of the environment: `Production`, `ProductionSandbox`, `Xcode`.
  var environmentName: String?
  /// The application.
  var bundleID: String?
  /// When Apple made the receipt: milliseconds since 1970.
  var createdAt: Int64?
  /// The purchases, in the receipt's order.
  var purchases: [AppleTransaction] = []

  /// Fields of a receipt and of a transaction in it, at most: more than any receipt of Apple's has.
  static let fieldCountMax = 10_000
  static let itemFieldCountMax = 100
  /// Transactions in a receipt, at most.
  static let itemCountMax = 2_000

  /// Reads the content of a receipt: SET OF SEQUENCE { type, version, value }, in any order.
  ///
  /// Types that are not known are skipped. Throws `malformed`, also for a field that is there twice, or
  /// `tooManyPurchases`.
  init(content: [UInt8]) throws(AppleVerificationError) {
    let fields = try Fields(content[...], countMax: Self.fieldCountMax)
    environmentName = try fields.text(0, as: .utf8String)
    bundleID = try fields.text(2, as: .utf8String)
    createdAt = try fields.instant(12)
    let items = fields.repeated
    guard items.count <= Self.itemCountMax else { throw .invalid(.tooManyPurchases) }
    for item in items { purchases.append(try AppleTransaction(item)) }
  }
}

extension AppleTransaction {
  /// The transaction in an item of a receipt.
  fileprivate init(_ content: ArraySlice<UInt8>) throws(AppleVerificationError) {
    self.init()
    let fields = try LegacyReceipt.Fields(content, countMax: LegacyReceipt.itemFieldCountMax)
    productID = try fields.text(1702, as: .utf8String)
    transactionID = try fields.text(1703, as: .utf8String)
    purchaseDate = try fields.instant(1704)
    originalTransactionID = try fields.text(1705, as: .utf8String)
    originalPurchaseDate = try fields.instant(1706)
    let kind = try fields.integer(1707)
    expiresDate = try fields.instant(1708)
    revocationDate = try fields.instant(1712)
    let (trial, offer) = (try fields.integer(1713), try fields.integer(1719))
    if trial == 1 || offer == 1 { self.offer = Purchase.Offer(kind: .introductory) }
    switch kind {
    case 0: type = "Non-Consumable"
    case 1: type = "Consumable"
    case 2: type = "Non-Renewing Subscription"
    case 3: type = "Auto-Renewable Subscription"
    // Older receipts do not say.
    default: type = expiresDate == nil ? nil : "Auto-Renewable Subscription"
    }
  }
}

extension LegacyReceipt {
  /// The fields of a receipt or of a transaction in it, by type.
  fileprivate struct Fields {
    private var values: [Int64: ArraySlice<UInt8>] = [:]
    /// The values of the one type that is there once for each transaction.
    private(set) var repeated: [ArraySlice<UInt8>] = []

    private static let transactionType: Int64 = 17

    init(_ content: ArraySlice<UInt8>, countMax: Int) throws(AppleVerificationError) {
      var outer = DERReader(content)
      var set = DERReader(try outer.contents(of: .set))
      guard outer.isAtEnd else { throw .invalid(.malformed) }
      var count = 0
      while !set.isAtEnd {
        count += 1
        guard count <= countMax else { throw .invalid(.tooManyPurchases) }
        var field = DERReader(try set.contents(of: .sequence))
        let type = try field.integer()
        _ = try field.integer()
        let value = try field.contents(of: .octetString)
        guard field.isAtEnd else { throw .invalid(.malformed) }
        if type == Self.transactionType {
          repeated.append(value)
        } else if values.updateValue(value, forKey: type) != nil, Self.isRead(type) {
          // Which of two would count is nobody's to choose.
          throw .invalid(.malformed)
        }
      }
    }

    private static func isRead(_ type: Int64) -> Bool {
      [0, 2, 12].contains(type) || (1701...1719).contains(type)
    }

    func text(
      _ type: Int64,
      as tag: DERReader.Tag
    ) throws(AppleVerificationError) -> String? {
      guard let value = values[type] else { return nil }
      var reader = DERReader(value)
      let bytes = try reader.contents(of: tag)
      guard reader.isAtEnd, bytes.count <= PayloadFields.textByteCountMax,
        let text = String(validating: bytes, as: UTF8.self)
      else { throw .invalid(.malformed) }
      return text
    }

    func integer(_ type: Int64) throws(AppleVerificationError) -> Int64? {
      guard let value = values[type] else { return nil }
      var reader = DERReader(value)
      let integer = try reader.integer()
      guard reader.isAtEnd else { throw .invalid(.malformed) }
      return integer
    }

    /// A date; nil also for an empty text, which is how receipts say that there is none.
    func instant(_ type: Int64) throws(AppleVerificationError) -> Int64? {
      guard let text = try text(type, as: .ia5String), !text.isEmpty else { return nil }
      guard let instant = InstantText.milliseconds(text), instant >= 0 else {
        throw .invalid(.malformed)
      }
      return instant
    }
  }
}
