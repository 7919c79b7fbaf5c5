internal import RPCKit
internal import Synchronization

/// The state that all workers of a run share and none changes.
struct LoadPlan: Sendable {
  let options: LoadOptions
  let content: RequestSource.Content
  let call: LoadCall
  let address: SocketAddress
  let tls: TLSContextSource?
  let control: RunControl

  var isOpenLoop: Bool { options.rate > 0 }

  /// How long an open loop is followed after its end.
  var drainNanoseconds: Int64 {
    let drain = max(.seconds(2), options.timeout ?? .zero)
    return min(drain, .seconds(60)).nanosecondsSaturated
  }

  /// A transport for one more connection.
  ///
  /// Loop only.
  func transport(on loop: any EventLoop) throws -> any Transport {
    let transport = SocketNetwork().connect(to: address, on: loop)
    guard let tls else { return transport }
    return try TLSTransport(
      over: transport,
      context: tls.current,
      expectedHost: options.target.tlsHost
    )
  }

  /// Limits that do not get in the way of what was asked for.
  var limits: Limits {
    var limits = Limits()
    limits.streamsPerConnectionMax = max(limits.streamsPerConnectionMax, options.inFlightMax)
    return limits
  }
}

/// Ends a run early, from any thread.
final class RunControl: Sendable {
  private let isEnding = Atomic<Bool>(false)
  private let errorCount = Atomic<Int>(0)
  private let errorCountMax: Int
  /// Calls that may still begin, and that have still to end.
  private let beginningsLeft: Atomic<Int>
  private let endingsLeft: Atomic<Int>
  private let countsCalls: Bool

  init(_ options: LoadOptions) {
    errorCountMax = options.errorCountMax ?? .max
    countsCalls = options.callCountMax != nil
    beginningsLeft = Atomic(options.callCountMax ?? 0)
    endingsLeft = Atomic(options.callCountMax ?? 0)
  }

  /// Whether the run is to end now.
  var isStopped: Bool { isEnding.load(ordering: .relaxed) }

  /// Whether all calls were made that were asked for by their number.
  var hasMadeAll: Bool { countsCalls && endingsLeft.load(ordering: .relaxed) <= 0 }

  /// Whether too many calls failed.
  var isFailed: Bool { errorCount.load(ordering: .relaxed) >= errorCountMax }

  /// Ends the run.
  func stop() { isEnding.store(true, ordering: .relaxed) }

  /// Counts a failed call.
  func countError() {
    let count = errorCount.wrappingAdd(1, ordering: .relaxed).newValue
    if count >= errorCountMax { stop() }
  }

  /// Whether a closed loop may begin one more call, which counts from here on.
  func takeCall() -> Bool {
    !countsCalls || beginningsLeft.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
  }

  /// A call that was taken did not begin.
  func putCallBack() {
    if countsCalls { beginningsLeft.wrappingAdd(1, ordering: .relaxed) }
  }

  /// A call of a closed loop has ended; the last one ends the run.
  func countEnd() {
    guard countsCalls else { return }
    if endingsLeft.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { stop() }
  }
}
