internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Between passkeys of this service and messages of its contract.
extension Auth_V1.Passkey {
  init(_ passkey: PasskeyRecord) {
    self.init(
      id: passkey.id,
      name: passkey.name,
      createdAt: .init(milliseconds: passkey.created),
      lastUsedAt: passkey.lastUsed.map { .init(milliseconds: $0) },
      deviceBound: !passkey.isBackupEligible,
      backedUp: passkey.isBackedUp,
      transports: passkey.transports,
      model: Self.uuid(passkey.model),
      attestation: passkey.attestation.rawValue,
      copySuspectedAt: passkey.counterFell.map { .init(milliseconds: $0) }
    )
  }

  /// As lists of models have it: `ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4`.
  private static func uuid(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
