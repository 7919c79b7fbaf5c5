internal import RPCKit
internal import ServiceKit
internal import TenancyContracts
internal import PeerContracts
internal import TenancyService
internal import TextEncodings

/// A program on this machine that gets events as a receiver of webhooks does.
struct LocalReceiver: Sendable {
  let url: String
  /// Made for one run.
  private let secret = SystemRandomSource().bytes(32)

  init(url: String) { self.url = url }

  /// The secret, as receivers are given it.
  var secretText: String { "whsec_" + Base64.encode(secret.span, isPadded: true) }

  /// Sends an event; the status of the answer, or why there is none.
  func send(_ event: Tenancy_V1.ListenedEvent) async -> String {
    let request = WebhookRequest(id: event.id, body: Array(event.body.utf8))
    // The receiver is the developer's own, wherever it is.
    var fetch = HTTPFetch(url: url, addresses: .any, timeout: .seconds(15))
    fetch.allowsPlaintext = true
    fetch.takesStatusAlone = true
    fetch.byteCountMax = 1024
    fetch.content = request.body
    fetch.contentType = WebhookRequest.contentType
    fetch.fields = request.fields(
      at: SystemWallClock().now,
      attempt: 1,
      isReplay: false,
      signers: [.secret(secret)]
    )
    do {
      return try await "\(fetch.run().status)"
    } catch {
      return FailureText.printable("not sent: \(error)")
    }
  }
}
