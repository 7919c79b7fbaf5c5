internal import RPCKit
internal import ServiceKit

/// The way to receivers.
protocol WebhookTransport: Sendable {
  /// Sends a request; the receiver's answer.
  ///
  /// Returns `.none` when there is none within the limits, and early when the task is cancelled.
  func send(_ request: HTTPFetch) async -> DeliveryRules.Answer
}

/// Sends by libcurl: no redirects, no proxies, and no address but those of the rule.
struct CurlWebhookTransport: WebhookTransport {
  let clock: any WallClock

  func send(_ request: HTTPFetch) async -> DeliveryRules.Answer {
    guard let answer = try? await request.run() else { return .none }
    return .status(answer.status, wait: answer.retryDelay(now: clock.now))
  }
}

extension WebhookRecord {
  /// How long a receiver may take, from looking its name up to the end of its answer.
  private static let timeout = Duration.seconds(15)
  /// Bytes of an answer that are read, and thrown away.
  private static let answerByteCountMax = 1024

  /// The request that takes a webhook an event; nil when its address is one that webhooks may no longer have.
  func request(
    _ content: WebhookRequest,
    _ fields: [HTTPFetch.Field],
    _ addresses: WebhookAddresses
  ) -> HTTPFetch? {
    guard let rule = addresses.rule(of: url) else { return nil }
    var fetch = HTTPFetch(
      url: url,
      authorities: addresses.authorities,
      addresses: rule,
      timeout: Self.timeout
    )
    fetch.allowsPlaintext = !addresses.allowed.isEmpty
    fetch.content = content.body
    fetch.contentType = WebhookRequest.contentType
    fetch.fields = [HTTPFetch.Field(name: "User-Agent", value: "Gatehouse-Webhooks/1")] + fields
    fetch.byteCountMax = Self.answerByteCountMax
    fetch.takesStatusAlone = true
    return fetch
  }
}
