import TestingContracts
import Testing

@testable import RPCKit

/// What travels beside messages: metadata, statuses, details; and what wraps calls on both sides.
@Suite("Metadata, statuses and interceptors over sockets", .timeLimit(.minutes(1)))
struct MetadataAndStatusTests {
  @Test("Metadata reaches the handler of each kind, repeated keys included")
  func metadata_ofEachKind_reachesHandler() async throws {
    let seen = OneTimeEvent<[String]>()
    let handler = RichHandler(
      onEcho: { request, call in
        seen.happened(call.metadata.values("tenant"))
        return request
      },
      onExpand: { _, call, _ in seen.happened(call.metadata.values("tenant")) },
      onCollect: { _, call in
        seen.happened(call.metadata.values("tenant"))
        return Rich()
      },
      onConverse: { _, call, _ in seen.happened(call.metadata.values("tenant")) }
    )
    try await EndToEnd.run(handler, channel: { $0.metadata = ["tenant": "channel"] }) { test in
      let options = CallOptions(metadata: ["Tenant": "Łódź 🐎"])
      let expected = ["channel", "Łódź 🐎"]
      _ = try await test.rich.echo(Rich(), options: options)
      #expect(try await seen.value() == expected)
      for try await _ in test.rich.expand(Rich(), options: options) {}
      #expect(try await seen.value() == expected)
      _ = try await test.rich.collect(options: options) { _ in }
      #expect(try await seen.value() == expected)
      try await test.rich.converse(options: options) { _, responses in
        for try await _ in responses {}
      }
      #expect(try await seen.value() == expected)
    }
  }

  @Test("Response metadata arrives with responses and with errors")
  func responseMetadata_ofSuccessAndFailure_arrives() async throws {
    let handler = RichHandler(onEcho: { request, call in
      call.responseMetadata.append("served-by", "one")
      call.responseMetadata.append("served-by", "two")
      if request.boolValue { throw RPCError(.notFound, "no such horse") }
      return request
    })
    try await EndToEnd.run(handler) { test in
      let response: UnaryResponse<Rich> = try await test.channel.unaryWithMetadata(
        Testing_V1.RichMethods.echo,
        Rich(),
        options: CallOptions()
      )
      #expect(response.metadata.values("served-by") == ["one", "two"])
      var failing = Rich()
      failing.boolValue = true
      let error = await rpcError { _ = try await test.rich.echo(failing) }
      #expect(error?.metadata.values("served-by") == ["one", "two"])
    }
  }

  private static let failure = RPCError(
    StatusCode(rawValue: 1234),
    "odd: 東京",
    details: [
      .init(typeURL: "type.googleapis.com/a.B", value: [1, 2, 3]),
      .init(typeURL: "type.googleapis.com/a.C", value: []),
    ]
  )

  private static func isFailure(_ error: RPCError?) -> Bool {
    error?.code == failure.code && error?.message == failure.message
      && error?.details == failure.details && error?.isNotProcessed == false
  }

  @Test("A status arrives unchanged from each kind, unknown code and details included")
  func status_ofEachKind_arrivesUnchanged() async throws {
    let handler = RichHandler(
      onEcho: { _, _ in throw Self.failure },
      onExpand: { _, _, writer in
        try await writer.write(Rich(number: 1))
        throw Self.failure
      },
      onCollect: { _, _ in throw Self.failure },
      onConverse: { requests, _, writer in
        for try await request in requests { try await writer.write(request) }
        throw Self.failure
      }
    )
    try await EndToEnd.run(handler) { test in
      #expect(Self.isFailure(await rpcError { _ = try await test.rich.echo(Rich()) }))
      var received = 0
      #expect(
        Self.isFailure(
          await rpcError { for try await _ in test.rich.expand(Rich()) { received += 1 } }
        )
      )
      #expect(received == 1)
      #expect(Self.isFailure(await rpcError { _ = try await test.rich.collect { _ in } }))
      let outcome = await rpcError {
        try await test.rich.converse { writer, responses in
          try await writer.write(Rich())
          try await writer.finish()
          for try await _ in responses { received += 1 }
        }
      }
      #expect(Self.isFailure(outcome))
      #expect(received == 2)
    }
  }

  @Test("A handler that passes on \"not processed\" of a call of its own is not run again")
  func notProcessed_ofInnerCall_isNotClaimedForTheOuter() async throws {
    let refusing = RichHandler(onEcho: { _, _ in
      throw RPCError(.aborted, "busy", isNotProcessed: true)
    })
    try await EndToEnd.run(refusing, channel: { $0.retry = .never }) { inner in
      let channel = inner.channel
      let runs = Tally()
      let forwarding = RichHandler(onEcho: { request, _ in
        runs.add()
        return try await Testing_V1.RichClient(channel).echo(request)
      })
      try await EndToEnd.run(forwarding) { outer in
        let error = await rpcError { _ = try await outer.rich.echo(Rich()) }
        #expect(error?.message == "busy")
        #expect(error?.isNotProcessed == false)
        #expect(runs.value == 1)
      }
    }
  }

  @Test("An error that is no RPCError reaches the caller without its text")
  func unexpectedError_isInternalWithCorrelationID() async throws {
    struct Secret: Error { var password = "hunter2" }
    let handler = RichHandler(onEcho: { _, _ in throw Secret() })
    try await EndToEnd.run(handler) { test in
      let error = await rpcError { _ = try await test.rich.echo(Rich()) }
      #expect(error?.code == .internal)
      #expect(error?.message.contains("correlation id") == true)
      #expect(error?.message.contains("hunter2") == false)
    }
  }

  @Test("A server that answers a client stream early is heard")
  func clientStream_answeredEarly_returnsTheAnswer() async throws {
    let handler = RichHandler(onCollect: { requests, _ in
      for try await request in requests { return request }
      return Rich()
    })
    try await EndToEnd.run(handler) { test in
      let answer = try await test.rich.collect { writer in
        // Endless, were it not for the answer, which makes writing fail.
        while true { try await writer.write(Rich(number: 5)) }
      }
      #expect(answer.int32Value == 5)
    }
  }

  /// Notes its name before and after, on both sides.
  private struct Tracer: ServerInterceptor, ClientInterceptor {
    let name: String
    let log: Log

    func begin(_ call: CallContext) throws -> Interception {
      guard call.metadata["token"] != "bad" else { throw RPCError(.unauthenticated, "who?") }
      log.note("\(name)+")
      return .proceed
    }

    func ended(_ call: CallContext) { log.note("\(name)-") }

    func intercept(
      _ method: MethodDescriptor,
      _ options: CallOptions,
      next: (CallOptions) async throws -> Void
    ) async throws {
      log.note("\(name)+")
      var options = options
      options.metadata.append("trace", name)
      try await next(options)
      log.note("\(name)-")
    }
  }

  @Test("Interceptors of both sides wrap the handler in order, and may refuse")
  func interceptors_ofBothSides_wrapInOrder() async throws {
    let log = Log()
    let handler = RichHandler(onEcho: { request, call in
      log.note("handler \(call.metadata.values("trace"))")
      return request
    })
    try await EndToEnd.run(
      handler,
      interceptors: [Tracer(name: "s1", log: log), Tracer(name: "s2", log: log)],
      channel: { $0.interceptors = [Tracer(name: "c1", log: log), Tracer(name: "c2", log: log)] }
    ) { test in
      _ = try await test.rich.echo(Rich())
      // The server's interceptors end after the answer is on its way; the next call queues behind.
      #expect(await test.eventually { log.lines.count == 9 })
      let calls = log.lines.filter { !["s2-", "s1-"].contains($0) }
      #expect(
        calls == ["c1+", "c2+", "s1+", "s2+", #"handler ["c1", "c2"]"#, "c2-", "c1-"]
      )
      let error = await rpcError {
        _ = try await test.rich.echo(Rich(), options: CallOptions(metadata: ["token": "bad"]))
      }
      #expect(error?.code == .unauthenticated)
      #expect(error?.message == "who?")
    }
  }
}
