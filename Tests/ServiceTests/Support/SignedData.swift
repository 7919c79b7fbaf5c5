import Foundation
import RPCKit
import ServiceKit

enum TestTime {
  /// 2026-01-15T12:00:00Z, within the life of every test certificate.
  static let now: Int64 = 1_768_478_400_000
  static let second: Int64 = 1000
  static let hour: Int64 = 3_600_000
  static let day: Int64 = 24 * hour
}

/// Makes data as Apple signs it.
struct SignedData {
  var header: JSONValue
  var payload: JSONValue
  var signer: TestCertificate
  let authority: TestAuthority

  /// Data signed by a leaf of the shared authority.
  init(_ payload: JSONValue, leaf: TestCertificate? = nil, above: TestCertificate? = nil) throws {
    authority = try TestAuthority.shared.get()
    signer = leaf ?? authority.leaf
    self.payload = payload
    header = ["alg": "ES256"]
    chain = [signer.der, (above ?? authority.intermediate).der, authority.root.der]
  }

  /// The certificates of `x5c`.
  var chain: [[UInt8]] {
    get { entries.compactMap { $0.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } } }
    set { entries = newValue.map { .string(Data($0).base64EncodedString()) } }
  }

  /// The entries of `x5c`.
  var entries: [JSONValue] {
    get { header.object?["x5c"]?.array ?? [] }
    set { self["x5c"] = .array(newValue) }
  }

  /// A member of the header.
  subscript(name: String) -> JSONValue? {
    get { header.object?[name] }
    set {
      var object = header.object ?? JSONObject()
      object[name] = newValue
      header = .object(object)
    }
  }

  /// The compact form.
  func text() throws -> String {
    let signed = "\(Self.base64(header.text)).\(Self.base64(payload.text))"
    let signature = try authority.sign(Array(signed.utf8), with: signer)
    return "\(signed).\(Self.base64(signature))"
  }

  static func base64(_ text: String) -> String { base64(Array(text.utf8)) }

  static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}

/// The payload of a transaction; tests change what they are about.
struct TransactionFields {
  static let bundleID = "com.example"
  static let product = "com.unifiedsmarthome.compliancepack1"

  var members: JSONObject = [
    "transactionId": "2000000001",
    "originalTransactionId": "2000000001",
    "bundleId": .string(bundleID),
    "productId": .string(product),
    "type": "Non-Consumable",
    "inAppOwnershipType": "PURCHASED",
    "environment": "Production",
    "quantity": 1,
    "purchaseDate": .number(JSONNumber(TestTime.now - TestTime.hour)),
    "originalPurchaseDate": .number(JSONNumber(TestTime.now - TestTime.hour)),
    "signedDate": .number(JSONNumber(TestTime.now - TestTime.second)),
  ]

  subscript(name: String) -> JSONValue? {
    get { members[name] }
    set { members[name] = newValue }
  }

  /// Sets a number; nil removes it.
  mutating func set(_ name: String, _ value: Int64?) {
    members[name] = value.map { .number(JSONNumber($0)) }
  }

  /// Fields that differ from the usual ones as `change` says.
  static func with(_ change: (inout TransactionFields) -> Void = { _ in }) -> JSONValue {
    var fields = TransactionFields()
    change(&fields)
    return .object(fields.members)
  }

  /// The same, signed.
  static func signed(_ change: (inout TransactionFields) -> Void = { _ in }) throws -> String {
    try SignedData(with(change)).text()
  }
}

/// Makes notifications.
enum NotificationFields {
  static func signed(
    _ type: String,
    uuid: String = "8c1f4a7e-0000-4000-8000-000000000001",
    transaction: String? = nil,
    renewal: String? = nil,
    _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var data: JSONObject = [
      "bundleId": .string(TransactionFields.bundleID), "appAppleId": 1234,
      "environment": "Production",
    ]
    if let transaction { data["signedTransactionInfo"] = .string(transaction) }
    if let renewal { data["signedRenewalInfo"] = .string(renewal) }
    change(&data)
    return try SignedData([
      "notificationType": .string(type), "notificationUUID": .string(uuid), "version": "2.0",
      "signedDate": .number(JSONNumber(TestTime.now)), "data": .object(data),
    ]).text()
  }
}
