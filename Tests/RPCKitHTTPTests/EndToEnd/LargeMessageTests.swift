import Dispatch
import Foundation
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Inflating, decoding and encoding what is large takes milliseconds, for which no connection of the loop should wait.
@Suite("Large messages by HTTP, over sockets", .teardown, .timeLimit(.minutes(2)))
struct LargeMessageTests {
  /// Where something is done: `1` on the loop, `2` elsewhere.
  private static var place: UInt8 {
    CallContext.current?.loop.isCurrent == false ? UInt8(ascii: "2") : UInt8(ascii: "1")
  }

  /// A request that notes where it was read, as an answer that notes where it was encoded.
  struct Witness: Message {
    static let protobufName = "test.v1.Witness"

    var bytes: [UInt8] = []
    var place: UInt8 = 0

    init() {}

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(protobuf bytes: Span<UInt8>, limits: MessageLimits) throws(MessageDecodingError) {
      self.bytes.replaceAll(with: bytes)
      place = LargeMessageTests.place
    }

    func append(
      to buffer: inout ByteBuffer,
      prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
    ) {
      prefix(&buffer, bytes.count + 1)
      buffer.append(bytes.span)
      buffer.append(LargeMessageTests.place)
    }

    func measure(_ measure: inout MessageMeasure) { measure.add(bytes.count) }

    func validate(path: String, into violations: inout [FieldViolation]) {}
  }

  /// JSON that is the message, and says at its end where it was made.
  struct Transcoder: MessageTranscoder {
    func protobuf(fromJSON json: [UInt8], type: String) throws(RPCError) -> [UInt8] { json }

    func json(fromProtobuf protobuf: [UInt8], type: String) throws(RPCError) -> [UInt8] {
      protobuf + [LargeMessageTests.place]
    }
  }

  private static func descriptor(_ method: String) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.v1.Echo",
      method: method,
      kind: .unary,
      callerClass: .public,
      requestType: Witness.protobufName,
      responseType: Witness.protobufName
    )
  }

  private static let service = ServiceDefinition(
    name: "test.v1.Echo",
    methods: [
      // Says where the request was read, and whether the loop had left it compressed.
      .unary(descriptor("Take")) { (request: Witness, call) in
        Witness(bytes: [request.place, UInt8(ascii: call.inflation == nil ? "1" : "2")])
      },
      // Answers with as many bytes as the request has.
      .unary(descriptor("Echo")) { (request: Witness, call) in
        Witness(bytes: Array(repeating: UInt8(ascii: "x"), count: request.bytes.count))
      },
    ]
  )

  /// What curl gets for content that is posted to a method.
  private func post(
    _ content: [UInt8],
    to method: String,
    _ fields: [String],
    compresses: Bool = false
  ) async throws -> [UInt8] {
    let loops = try EventLoopGroup.epoll(count: 1)
    var configuration = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])
    configuration.compressesResponses = compresses
    var router = CallRouter()
    router.transcoder = Transcoder()
    configuration.wires = [HTTPServerWire(HTTPConfiguration(router: router))]
    let server = Server(configuration, services: [Self.service], on: loops)
    let output = try await server.serving { server in
      let address = try #require(server.addresses.first)
      var arguments = ["curl", "--silent", "--max-time", "60", "--data-binary", "@-"]
      for field in fields { arguments += ["-H", field] }
      arguments.append("http://\(address)/test.v1.Echo/\(method)")
      return await withCheckedContinuation { continuation in
        DispatchQueue.global().async { [arguments] in
          continuation.resume(returning: ForeignProgram.run(arguments, input: content))
        }
      }
    }
    loops.stop()
    return try #require(output)
  }

  private static let large = CallContext.readOnLoopByteCountMax + 1
  private static let elsewhere = UInt8(ascii: "2")
  private static let onLoop = UInt8(ascii: "1")

  @Test(
    "A compressed request that is large, or becomes large, is inflated and read away from the loop",
    arguments: ["proto", "json"]
  )
  func request_compressed_isInflatedElsewhere(codec: String) async throws {
    let fields = ["content-type: application/\(codec)", "content-encoding: gzip"]
    for (byteCount, place) in [(100, Self.onLoop), (Self.large, Self.elsewhere)] {
      let content = compressed(Array(repeating: UInt8(ascii: "a"), count: byteCount), "gzip")
      let answer = try await post(content, to: "Take", fields)
      #expect(answer.prefix(2) == [place, place], "\(byteCount) bytes")
    }
  }

  @Test("By gRPC-Web as well")
  func enveloped_compressed_isInflatedElsewhere() async throws {
    let fields = ["content-type: application/grpc-web+proto", "grpc-encoding: gzip"]
    for (byteCount, place) in [(100, Self.onLoop), (Self.large, Self.elsewhere)] {
      let message = compressed(Array(repeating: UInt8(ascii: "a"), count: byteCount), "gzip")
      let answer = try await post(envelope(message, flags: 1), to: "Take", fields)
      #expect(Array(answer.dropFirst(5).prefix(2)) == [place, place], "\(byteCount) bytes")
    }
  }

  @Test(
    "A large answer is encoded away from the loop: from protobuf to JSON, and compressed",
    arguments: ["proto", "json"],
    [false, true]
  )
  func answer_large_isEncodedElsewhere(codec: String, compresses: Bool) async throws {
    let fields = [
      "content-type: application/\(codec)", compresses ? "accept-encoding: gzip" : "x-none: 1",
    ]
    for (byteCount, place) in [(2000, Self.onLoop), (Self.large, Self.elsewhere)] {
      let content = Array(repeating: UInt8(ascii: "a"), count: byteCount)
      var answer = try await post(content, to: "Echo", fields, compresses: compresses)
      if compresses {
        var inflated = ByteBuffer()
        var inflater = Inflater(.gzip)
        try inflater.inflate(answer.span, into: &inflated, byteCountMax: 1 << 20)
        answer = inflated.withBytes { bytes in bytes.indices.map { bytes[$0] } }
      }
      let places = Array(repeating: place, count: codec == "json" ? 2 : 1)
      #expect(Array(answer.dropFirst(byteCount)) == places, "\(byteCount) bytes")
    }
  }
}
