import TestingContracts
import Testing

@testable import RPCKit

@Suite("Why a server refuses or fails a call", .timeLimit(.minutes(1)))
struct LibraryReasonTests {
  private struct Surprise: Error {}

  private static func method(_ service: String, _ name: String) -> MethodDescriptor {
    MethodDescriptor(
      service: service,
      method: name,
      kind: .unary,
      callerClass: .public,
      requestType: Rich.protobufName,
      responseType: Rich.protobufName
    )
  }

  /// What `google.rpc.ErrorInfo` says, as a client reads it.
  private static func reason(_ error: RPCError?) throws -> String {
    let detail = try #require(error?.details.first)
    let info = try Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
    #expect(info.domain == LibraryReason.domain)
    return info.reason
  }

  @Test("What is unknown, too large or broken is told by its reason")
  func refusals_haveReasons() async throws {
    let handler = RichHandler(onEcho: { _, _ in throw Surprise() })
    try await EndToEnd.run(
      handler,
      server: { $0.limits.metadataByteCountMax = 64 },
      channel: { $0.retry = .never }
    ) { test in
      let echo = Testing_V1.RichMethods.echo
      let calls: [(String, MethodDescriptor, Metadata)] = [
        ("SERVICE_UNKNOWN", Self.method("test.v1.Nothing", "Do"), [:]),
        ("METHOD_UNKNOWN", Self.method(echo.service, "Nothing"), [:]),
        ("METADATA_TOO_LARGE", echo, ["k": String(repeating: "v", count: 100)]),
        ("INTERNAL", echo, [:]),
      ]
      for (reason, method, metadata) in calls {
        let error = await rpcError {
          let _: Rich = try await test.channel.unary(
            method,
            Rich(),
            options: CallOptions(metadata: metadata)
          )
        }
        let found = try Self.reason(error)
        #expect(found == reason)
      }
    }
  }

  @Test("An error is completed once, whoever made it, and not for calls that were never begun")
  func completeError_isAskedOnce() async throws {
    let completed = Lock<[StatusCode]>([])
    let handler = RichHandler(onEcho: { request, _ in
      if request.boolValue { throw RPCError(.notFound, "no such horse") }
      throw Surprise()
    })
    try await EndToEnd.run(
      handler,
      server: { configuration in
        configuration.completeError = { error, _ in
          completed.withLock { $0.append(error.code) }
          var error = error
          error.message = "completed"
          return error
        }
      },
      channel: { $0.retry = .never }
    ) { test in
      var known = Rich()
      known.boolValue = true
      for request in [known, Rich()] {
        let error = await rpcError { _ = try await test.rich.echo(request) }
        #expect(error?.message == "completed")
      }
      let never = await rpcError {
        let _: Rich = try await test.channel.unary(
          Self.method("test.v1.Nothing", "Do"),
          Rich(),
          options: CallOptions()
        )
      }
      #expect(never?.message == "there is no service test.v1.Nothing")
    }
    #expect(completed.withLock { $0 } == [.notFound, .internal])
  }

  @Test("A logger says what its lines are written in, and lines say it better")
  func logger_addsSurroundings() {
    let sink = CollectingSink()
    let logger = Logger(
      label: "test",
      level: .info,
      sink: sink,
      surroundings: { ["request_id": "r-1"] }
    )
    logger.with(label: "part").info("one")
    logger.info("two", ["request_id": "r-2"])
    logger.debug("three")
    #expect(sink.lines.count == 2)
    #expect(sink.lines.first?.contains(#""request_id":"r-1""#) == true)
    #expect(sink.lines.last?.contains(#""request_id":"r-2""#) == true)
    #expect(sink.lines.last?.contains("r-1") == false)
  }
}
