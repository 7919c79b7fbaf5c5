/// Calls of one logical server: connections, balancing, retries.
///
/// Connects with the first call, keeps several connections, makes lost ones again, and sends each
/// call over the less busy of two. Safe from any thread and task.
///
/// ```swift
/// try await withChannel("tcp://tenancy:4040", ChannelConfiguration(loops: loops)) { channel in
///   try await PermissionsClient(channel).check(request)
/// }
/// ```
public final class Channel: Sendable {
  let pool: ConnectionPool
  let budget: SharedRetryBudget

  var configuration: ChannelConfiguration { pool.configuration }

  /// Makes a channel; it connects with its first call.
  ///
  /// End it with `close`.
  public init(_ target: ChannelTarget, _ configuration: ChannelConfiguration) {
    precondition(!target.endpoints.isEmpty, "a channel needs an endpoint")
    pool = ConnectionPool(target, configuration)
    budget = SharedRetryBudget(configuration.retry)
  }

  /// Makes a channel to `tcp://host:port`, `tls://host:port` or `unix:///path`, see `ChannelTarget`.
  public convenience init(
    _ target: String,
    _ configuration: ChannelConfiguration
  ) throws(ChannelTargetError) {
    self.init(try ChannelTarget(target), configuration)
  }

  deinit {
    pool.shutDown()
  }

  /// Begins no more calls and returns when the open ones are over; those that take longer than
  /// `drainTimeout` fail with UNAVAILABLE.
  public func close() async {
    await pool.close()
  }
}

/// Makes a channel, runs `body` with it, and closes it.
public func withChannel<Result>(
  _ target: String,
  _ configuration: ChannelConfiguration,
  _ body: (Channel) async throws -> Result
) async throws -> Result {
  let channel = try Channel(target, configuration)
  do {
    let result = try await body(channel)
    await channel.close()
    return result
  } catch {
    await channel.close()
    throw error
  }
}
