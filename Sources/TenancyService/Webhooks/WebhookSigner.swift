package import ServiceKit
internal import TextEncodings

/// A key that signs what a webhook gets, as Standard Webhooks 1.0 have it.
package enum WebhookSigner: Hashable, Sendable {
  /// `v1`: HMAC-SHA-256 with a secret that the receiver has too.
  case secret([UInt8])
  /// `v1a`: Ed25519, whose public key the receiver has.
  case pair(Ed25519Key)

  /// The signature of a text, with its scheme in front.
  func signature(of text: [UInt8]) -> String {
    switch self {
    case .secret(let secret): "v1,\(Self.encoded(HMACKey(secret).code(of: text)))"
    case .pair(let key): "v1a,\(Self.encoded(key.sign(text)))"
    }
  }

  private static func encoded(_ signature: [UInt8]) -> String {
    Base64.encode(signature.span, isPadded: true)
  }
}

/// A new key of a webhook, for a secret that both sides have or for a pair.
struct NewWebhookKey: Sendable {
  private let secret: [UInt8]
  /// The key as the store has it.
  let sealed: [UInt8]

  fileprivate init(secret: [UInt8], sealed: [UInt8]) {
    (self.secret, self.sealed) = (secret, sealed)
  }

  /// The secret as text, which its manager sees once.
  var secretText: String { Self.text("whsec_", secret) }

  /// The public key of the pair as text.
  var publicText: String {
    guard let pair = Ed25519Key(secret: secret) else {
      preconditionFailure("a secret of a webhook has the 32 bytes of a key")
    }
    return Self.text("whpk_", pair.publicKey)
  }

  private static func text(_ prefix: String, _ bytes: [UInt8]) -> String {
    prefix + Base64.encode(bytes.span, isPadded: true)
  }
}

/// The keys of webhooks: as texts for people, and sealed for the store.
struct WebhookKeys: Sendable {
  private let key: SealingKey
  private let random: any RandomSource

  init(key: SealingKey, random: any RandomSource) { (self.key, self.random) = (key, random) }

  /// A new key for a webhook.
  func make(for webhookID: String) -> NewWebhookKey {
    let secret = random.bytes(Ed25519Key.secretByteCount)
    let sealed = key.seal(secret, for: Self.purpose(webhookID), random: random)
    return NewWebhookKey(secret: secret, sealed: sealed)
  }

  /// The keys that sign now: the current one, then the former one while it still does.
  func current(of webhook: WebhookRecord, now: Int64) -> [WebhookSigner] {
    var sealed = [webhook.secret]
    if let former = webhook.formerSecret, let end = webhook.formerSecretUntil, now < end {
      sealed.append(former)
    }
    return sealed.compactMap { sealed in
      guard let secret = try? key.open(sealed, for: Self.purpose(webhook.id)) else { return nil }
      return webhook.hasKeyPair ? Ed25519Key(secret: secret).map { .pair($0) } : .secret(secret)
    }
  }

  private static func purpose(_ webhookID: String) -> String { "webhook \(webhookID)" }
}
