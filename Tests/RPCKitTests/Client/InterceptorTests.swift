import Testing

@testable import RPCKit

@Suite("Interceptors and observers of a channel", .teardown)
struct InterceptorTests {
  /// Adds its name to the metadata.
  private struct Naming: ClientInterceptor {
    let name: String

    func intercept(
      _ method: MethodDescriptor,
      _ options: CallOptions,
      next: (CallOptions) async throws -> Void
    ) async throws {
      var options = options
      options.metadata.append("through", name)
      try await next(options)
    }
  }

  private struct Refusing: ClientInterceptor {
    func intercept(
      _ method: MethodDescriptor,
      _ options: CallOptions,
      next: (CallOptions) async throws -> Void
    ) async throws { throw RPCError(.unauthenticated, "no credentials") }
  }

  private final class Recorder: ClientObserver {
    let events = Lock<[String]>([])

    func connectionOpened() { events.withLock { $0.append("opened") } }
    func connectionClosed(_ error: TransportError?) {
      events.withLock { $0.append("closed \(error?.description ?? "")") }
    }
    func callStarted(_ method: MethodDescriptor) { events.withLock { $0.append("started") } }
    func callEnded(_ method: MethodDescriptor, _ code: StatusCode, duration: Duration) {
      events.withLock { $0.append("ended \(code) \(duration)") }
    }
    func callRetried(_ method: MethodDescriptor, after code: StatusCode) {
      events.withLock { $0.append("retried \(code)") }
    }
    func waitingCallsChanged(_ count: Int) { events.withLock { $0.append("waiting \(count)") } }
  }

  @Test("wrap calls of every kind, the first one outermost")
  func interceptors_wrapInOrder() {
    for kind in [
      MethodDescriptor.Kind.unary, .serverStreaming, .clientStreaming, .bidirectional,
    ] {
      let stage = ClientStage {
        $0.interceptors = [Naming(name: "outer"), Naming(name: "inner")]
      }
      let call = stage.start { channel in
        let method = MethodDescriptor.test(kind)
        switch kind {
        case .unary:
          let _: BytesMessage = try await channel.unary(
            method,
            BytesMessage("a"),
            options: CallOptions()
          )
        case .serverStreaming:
          let stream: ResponseStream<BytesMessage> = channel.serverStreaming(
            method,
            BytesMessage("a"),
            options: CallOptions()
          )
          for try await _ in stream {}
        case .clientStreaming:
          let _: BytesMessage = try await channel.clientStreaming(method, options: CallOptions()) {
            (_: RequestWriter<BytesMessage>) in
          }
        case .bidirectional:
          try await channel.bidirectional(method, options: CallOptions()) {
            (_: RequestWriter<BytesMessage>, stream: ResponseStream<BytesMessage>) in
            for try await _ in stream {}
          }
        }
        return true
      }
      let request = stage.peer.calls().first { $0.type == .request }
      #expect(request?.metadata.values("through") == ["outer", "inner"])
      stage.play { $0.respond(1, "") }
      #expect(call.value == true)
    }
  }

  @Test("can refuse a call, which is then not sent")
  func interceptor_throws_nothingIsSent() {
    let stage = ClientStage { $0.interceptors = [Refusing(), Naming(name: "never")] }
    let call = stage.call()
    #expect(call.error?.code == .unauthenticated)
    #expect(stage.network.peers.isEmpty)
  }

  @Test("hear of connections, calls, their retries and their ends")
  func observer_hearsTheCourse() {
    let recorder = Recorder()
    let stage = ClientStage { configuration in
      configuration.observer = recorder
      configuration.retry = RetryPolicy()
    }
    let call = stage.call()
    stage.loop.advance(by: .milliseconds(5))
    stage.play { $0.respond(1, RPCError(.aborted, "busy", isNotProcessed: true)) }
    stage.loop.advance(by: .milliseconds(20))
    stage.play { $0.respond(3, "done") }
    #expect(call.value == "done")
    stage.play { $0.loseConnection() }
    let duration = Duration.milliseconds(25)
    #expect(
      recorder.events.withLock { $0 } == [
        "started", "waiting 1", "opened", "waiting 0", "retried ABORTED", "ended OK \(duration)",
        "closed 10.0.0.1:1: reset", "opened",
      ]
    )
  }
}
