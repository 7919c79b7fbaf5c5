import RPCKitTesting

@testable import RPCKit

/// A channel on a manual loop over a scripted network: the stage of the conversation tests.
///
/// Calls run as tasks on the manual loop, so a test is in full control: nothing happens between
/// two of its lines.
final class ClientStage {
  let loop = ManualEventLoop()
  let network = ScriptedNetwork()
  let channel: Channel
  private let started = StartedTasks()

  init(
    target: ChannelTarget = ChannelTarget(addresses: [.ipv4([10, 0, 0, 1], port: 1)]),
    _ change: (inout ChannelConfiguration) -> Void = { _ in }
  ) {
    var configuration = ChannelConfiguration(loops: EventLoopGroup([loop]))
    configuration.network = network
    configuration.connectionsPerAddress = 1
    configuration.seed = 7
    configuration.retry = .never
    change(&configuration)
    channel = Channel(target, configuration)
    // Not the channel: tests see what happens when the last one lets go of it.
    Teardown.add { [loop, network, started, drainTimeout = configuration.drainTimeout] in
      started.cancel()
      loop.run { for peer in network.peers { peer.loseConnection() } }
      loop.advance(by: drainTimeout + .seconds(1))
      loop.letGo()
    }
  }

  /// The connection made last.
  var peer: ScriptedPeer { network.peers[network.peers.count - 1] }

  /// Starts something on the loop and lets it go as far as it can.
  func start<Success: Sendable>(
    _ body: @escaping @Sendable (Channel) async throws -> Success
  ) -> Running<Success> {
    let running = Running<Success>()
    let channel = channel
    running.task = Task(executorPreference: loop) {
      let outcome: Result<Success, any Error>
      do { outcome = .success(try await body(channel)) } catch { outcome = .failure(error) }
      running.outcome = outcome
    }
    started.add { [weak running] in running?.cancel() }
    loop.run()
    return running
  }

  /// Starts a unary call.
  func call(
    _ text: String = "hi",
    _ method: MethodDescriptor = .test(),
    _ options: CallOptions = CallOptions()
  ) -> Running<String> {
    start { channel in
      let response: BytesMessage = try await channel.unary(
        method,
        BytesMessage(Array(text.utf8)),
        options: options
      )
      return response.text
    }
  }

  /// Turns the loop until `condition` holds, for the resolver, which runs on other threads.
  func settle(_ condition: () -> Bool) {
    let end = ContinuousClock.now.advanced(by: .seconds(20))
    while !condition(), ContinuousClock.now < end { loop.advance(by: .milliseconds(1)) }
  }

  /// Plays the server for a moment.
  func play(_ script: (ScriptedPeer) -> Void) {
    let peer = peer
    loop.run { script(peer) }
  }
}

/// What a stage has started, to be cancelled.
private final class StartedTasks {
  private var cancellations: [() -> Void] = []

  func add(_ cancel: @escaping () -> Void) { cancellations.append(cancel) }

  func cancel() { for cancel in cancellations { cancel() } }
}

/// Something that runs on a manual loop.
///
/// `@unchecked Sendable`: written and read on the test's thread only, which turns the loop.
final class Running<Success: Sendable>: @unchecked Sendable {
  fileprivate(set) var outcome: Result<Success, any Error>?
  fileprivate var task: Task<Void, Never>?

  var isOver: Bool { outcome != nil }
  var value: Success? { try? outcome?.get() }

  var error: RPCError? {
    guard case .failure(let error) = outcome else { return nil }
    return error as? RPCError
  }

  func cancel() { task?.cancel() }
}
