import Foundation
import ServiceKit

/// Makes legacy receipts as Apple signs them; tests change what they are about.
struct TestReceipt {
  /// A transaction in a receipt.
  struct Item {
    var productID = TransactionFields.product
    var transactionID = "1000000001"
    /// The same, unless said.
    var originalTransactionID: String?
    var purchasedAt = TestTime.now - TestTime.hour
    var kind: UInt8? = 0
    var expiresAt: Int64?
    var cancelledAt: Int64?
    var isTrial = false

    fileprivate var content: [UInt8] {
      var fields = [
        DER.field(1701, DER.integer(1)),
        DER.field(1702, DER.utf8(productID)),
        DER.field(1703, DER.utf8(transactionID)),
        DER.field(1704, DER.date(purchasedAt)),
        DER.field(1705, DER.utf8(originalTransactionID ?? transactionID)),
        DER.field(1706, DER.date(purchasedAt)),
        DER.field(1708, DER.date(expiresAt)),
        DER.field(1711, DER.integer(7)),
        // Empty for what was not cancelled, as Apple writes it.
        DER.field(1712, DER.date(cancelledAt)),
        DER.field(1713, DER.integer(isTrial ? 1 : 0)),
      ]
      if let kind { fields.append(DER.field(1707, DER.integer(kind))) }
      return DER.value(0x31, fields.flatMap { $0 })
    }
  }

  var environment = "Production"
  var bundleID = TransactionFields.bundleID
  var createdAt: Int64? = TestTime.now - TestTime.second
  var items = [Item()]
  /// Further fields, as they are.
  var others: [[UInt8]] = []

  /// What is signed.
  var content: [UInt8] {
    var fields = [
      DER.field(0, DER.utf8(environment)),
      DER.field(1, DER.integer(7)),
      DER.field(2, DER.utf8(bundleID)),
      DER.field(3, DER.utf8("1.0")),
      DER.field(4, Array(repeating: 9, count: 16)),
      DER.field(5, Array(repeating: 8, count: 20)),
    ]
    if let createdAt { fields.append(DER.field(12, DER.date(createdAt))) }
    fields += items.map { DER.field(17, $0.content) }
    fields.append(DER.field(10, DER.utf8("4+")))
    return DER.value(0x31, (fields + others).flatMap { $0 })
  }

  /// The whole receipt (DER), signed by a leaf of the shared authority.
  func der(
    signedBy leaf: TestCertificate? = nil,
    below intermediate: TestCertificate? = nil,
    _ arguments: [String] = ["-nodetach", "-md", "sha256"]
  ) throws -> [UInt8] {
    let authority = try TestAuthority.shared.get()
    return try authority.message(
      content,
      signedBy: leaf ?? authority.leaf,
      with: [intermediate ?? authority.intermediate, authority.root],
      arguments
    )
  }

  /// The receipt as a device sends it.
  func text() throws -> String { Data(try der()).base64EncodedString() }

  /// The same with what `change` says.
  static func text(_ change: (inout TestReceipt) -> Void) throws -> String {
    var receipt = TestReceipt()
    change(&receipt)
    return try receipt.text()
  }
}

/// Values in DER.
enum DER {
  static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    guard contents.count >= 0x80 else { return [tag, UInt8(contents.count)] + contents }
    var digits: [UInt8] = []
    var rest = contents.count
    while rest > 0 {
      digits.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [tag, 0x80 | UInt8(digits.count)] + digits + contents
  }

  static func integer(_ number: UInt8) -> [UInt8] { value(0x02, [number]) }

  static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

  /// A date as receipts have it; empty for none.
  static func date(_ milliseconds: Int64?) -> [UInt8] {
    let text = milliseconds.map {
      InstantText.text($0).replacingOccurrences(of: ".000Z", with: "Z")
    }
    return value(0x16, Array((text ?? "").utf8))
  }

  /// SEQUENCE { type, version, value }.
  static func field(_ type: Int, _ contents: [UInt8]) -> [UInt8] {
    let number: [UInt8] = type < 0x80 ? [UInt8(type)] : [UInt8(type >> 8), UInt8(type & 0xFF)]
    return value(0x30, value(0x02, number) + integer(1) + value(0x04, contents))
  }
}
