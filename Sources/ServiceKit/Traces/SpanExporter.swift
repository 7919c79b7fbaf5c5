internal import RPCKit
internal import TextEncodings

/// Sends spans to a collector by OTLP over HTTP (opentelemetry-proto, specification of OTLP 1.x).
///
/// A collector that is away, slow or hostile costs nothing but spans: they wait in a queue with a bound, one
/// request is under way at a time, and each of its parts has a limit.
struct SpanExporter: Sendable {
  /// Sends a request; of its own type so that tests can play the collector.
  typealias Send = @Sendable (HTTPFetch) async throws -> HTTPFetch.Answer

  /// How long spans wait for others.
  static let interval = Duration.seconds(5)
  /// How long one request may take.
  static let timeout = Duration.seconds(10)
  /// How long the last requests may take, all together.
  static let flushTimeout = Duration.seconds(1)
  static let attemptCountMax = 5
  /// For how long a collector may ask to be left alone, in seconds.
  static let pauseMax: Int64 = 60

  /// The outcome of a batch.
  private enum Outcome {
    case taken(TraceAnswer)
    /// Another attempt would end the same way.
    case refused(String)
    /// Another attempt may succeed, after a pause if the collector names one.
    case postponed(String, pause: Duration?)
    case cancelled
  }

  private let settings: ServiceSettings.Traces
  private let service: String
  private let queue: SpanQueue
  private let metrics: TraceMetrics
  private let clock: any WallClock
  private let random: any RandomSource
  private let loop: any EventLoop
  private let logger: Logger
  private let send: Send

  init(
    _ settings: ServiceSettings.Traces,
    of service: String,
    queue: SpanQueue,
    metrics: TraceMetrics,
    clock: any WallClock,
    random: any RandomSource,
    loop: any EventLoop,
    logger: Logger,
    send: @escaping Send = { try await $0.run() }
  ) {
    (self.settings, self.service, self.queue, self.metrics) = (settings, service, queue, metrics)
    (self.clock, self.random, self.loop, self.logger) = (clock, random, loop, logger)
    self.send = send
  }

  /// Sends spans when a batch is full or five seconds have passed, until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await loop.sleep(Self.interval)
          queue.signal.announce()
        }
      }
      group.addTask {
        while !Task.isCancelled {
          // Before the queue, so that no batch is missed in between.
          let version = queue.signal.version
          await sendAll()
          await queue.signal.wait(past: version)
        }
      }
      await group.waitForAll()
    }
  }

  /// Sends what is left, once and within a second; what is not taken then is dropped.
  func flush() async {
    let deadline = loop.preciseNow.advanced(by: Self.flushTimeout)
    while true {
      let rest = loop.preciseNow.nanoseconds(to: deadline)
      let batch = rest > 0 ? queue.take() : []
      guard !batch.isEmpty else { return queue.clear() }
      switch await attempt(request(batch, timeout: .nanoseconds(rest))) {
      case .taken(let answer): took(batch, answer)
      case .refused(let reason), .postponed(let reason, _):
        lost(batch, reason)
        return queue.clear()
      case .cancelled:
        queue.putBack(batch)
        return queue.clear()
      }
    }
  }

  private func sendAll() async {
    while !Task.isCancelled {
      let batch = queue.take()
      guard !batch.isEmpty else { return }
      await send(batch)
    }
  }

  /// Sends a batch in up to five attempts.
  private func send(_ batch: [CallSpan]) async {
    let request = request(batch, timeout: Self.timeout)
    for number in 1... {
      switch await attempt(request) {
      case .taken(let answer): return took(batch, answer)
      case .refused(let reason): return lost(batch, reason)
      case .postponed(let reason, _) where number == Self.attemptCountMax:
        return lost(batch, reason)
      case .postponed(_, let pause): await loop.sleep(pause ?? backoff(after: number))
      // For the flush.
      case .cancelled: return queue.putBack(batch)
      }
      if Task.isCancelled { return queue.putBack(batch) }
    }
  }

  private func request(_ batch: [CallSpan], timeout: Duration) -> Result<HTTPFetch, any Error> {
    Result {
      // Both clocks now: a span keeps its length when the wall clock is set.
      let offset = loop.preciseNow.nanoseconds(to: MonotonicInstant(nanoseconds: clock.nanoseconds))
      let request = TraceRequest(
        service: service,
        version: GatehouseVersion.text,
        wallClockOffset: offset
      )
      var fetch = HTTPFetch(
        url: settings.endpoint,
        authorities: settings.authorities,
        addresses: settings.addresses,
        timeout: timeout
      )
      fetch.allowsPlaintext = true
      // A collector that says 200 has the spans, whatever it says besides; sent again they would be there twice.
      fetch.takesStatusAlone = true
      fetch.content = request.bytes(batch)
      fetch.contentType = "application/x-protobuf"
      fetch.fields = try settings.headers()
      return fetch
    }
  }

  private func attempt(_ request: Result<HTTPFetch, any Error>) async -> Outcome {
    do {
      let answer = try await send(request.get())
      switch answer.status {
      case 200..<300: return .taken(TraceAnswer(answer.body))
      case 429, 502, 503, 504:
        return .postponed(
          "status \(answer.status)",
          pause: answer.retryDelay(now: clock.now).map {
            .milliseconds(min($0, Self.pauseMax * 1000))
          }
        )
      default: return .refused("status \(answer.status)")
      }
    } catch is CancellationError {
      return .cancelled
    } catch {
      return .postponed("\(error)", pause: nil)
    }
  }

  /// 1, 2, 4 and 8 seconds, each up to a half longer, so that services that lost their collector together do
  /// not come back together.
  private func backoff(after number: Int) -> Duration {
    let milliseconds = Int64(1000 << (number - 1))
    return .milliseconds(milliseconds + Int64(random.number() % UInt64(milliseconds / 2)))
  }

  private func took(_ batch: [CallSpan], _ answer: TraceAnswer) {
    let rejectedCount = min(answer.rejectedCount, batch.count)
    metrics.sent.add(batch.count - rejectedCount)
    metrics.refused.add(rejectedCount)
    guard rejectedCount > 0 else { return }
    logger.warning(
      "the collector refused spans",
      ["spans": LogValue(rejectedCount), "reason": .string(String(answer.message.prefix(200)))]
    )
  }

  private func lost(_ batch: [CallSpan], _ reason: String) {
    metrics.failed.add(batch.count)
    logger.warning(
      "spans were lost: the collector took none",
      ["spans": LogValue(batch.count), "reason": .string(reason)]
    )
  }
}
