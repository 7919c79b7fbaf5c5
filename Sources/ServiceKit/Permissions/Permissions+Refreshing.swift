public import RPCKit

extension CallContext {
  /// Whether the caller wants answers that were not kept: somebody has switched to another
  /// organization or portfolio, or asks for a refresh.
  ///
  /// Clients say so with the metadata `cache-control: no-cache`, as in HTTP.
  public var wantsRefresh: Bool { metadata["cache-control"] == "no-cache" }
}

extension Permissions {
  /// Whether `subject`, whose call this is, may do `action` to `entity`.
  ///
  /// If the call wants a refresh, all that is known of `subject` is forgotten first. If only a step-up is
  /// missing that the caller may have done, it is asked again with their token. Throws as `check` does.
  public func check(
    _ subject: String,
    _ action: String,
    _ entity: String,
    for call: CallContext
  ) async throws -> PermissionDecision {
    if call.wantsRefresh { forget(subject: subject) }
    let decision = try await check(subject, action, entity)
    let key = PermissionCache.Key(subject: subject, action: action, entity: entity)
    return try await proven(decision, key, by: call.caller.user)
  }
}
