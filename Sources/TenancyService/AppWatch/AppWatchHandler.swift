internal import PeerContracts
internal import RPCKit
internal import ServiceKit
internal import TenancyContracts

/// `tenancy.v1.AppWatch`: one stream of what a user's app shows.
struct AppWatchHandler: Tenancy_V1.AppWatchService {
  let core: TenancyCore
  let watchers: AppWatchers
  let meter: AppWatchMeter
  /// Called when an app begins to watch.
  let onBegin: @Sendable () -> Void

  func watch(
    _ request: Tenancy_V1.AppWatchRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Tenancy_V1.AppEvent>
  ) async throws {
    let user = try call.requireUser()
    try core.requireNotSuspended(user)
    var resumed: AppWatchPosition?
    if !request.resumeToken.isEmpty {
      resumed = try AppWatchPosition(token: request.resumeToken, of: user, core.tokens)
    }
    let watcher = try watchers.begin(call, user)
    defer { watchers.end(watcher) }
    _ = try await core.retrying { try watchers.locate(watcher) }
    onBegin()
    let watch = AppWatch(
      core: core,
      reader: AppReader(
        core: core,
        user: user,
        documents: try UserDocuments(call),
        mailbox: AppMailbox(core, user),
        wanted: Set(request.kinds),
        collections: Set(request.collections)
      ),
      watchers: watchers,
      watcher: watcher,
      meter: meter
    )
    try await watch.tell(
      // From now on the watcher is woken, so nothing is missed.
      after: resumed
        ?? AppWatchPosition(revision: core.database.revision, relayed: watchers.relayed.end),
      heartbeatInterval: AppWatchLimits.heartbeatInterval,
      on: call,
      to: writer
    )
  }
}
