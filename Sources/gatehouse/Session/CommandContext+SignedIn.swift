internal import RPCKit

extension CommandContext {
  /// The options of a call with one answer that makes no sense without a session.
  func signedIn() async throws -> CallOptions {
    CallOptions(timeout: callTimeout, metadata: try await SessionKeeper(self).requiredMetadata())
  }

  /// Runs `body` with a channel to a service and the options of the signed-in user's calls.
  func signedIn<Result>(
    to service: String,
    _ body: (Channel, CallOptions) async throws -> Result
  ) async throws -> Result {
    let options = try await signedIn()
    return try await withChannel(to: service) { try await body($0, options) }
  }
}
