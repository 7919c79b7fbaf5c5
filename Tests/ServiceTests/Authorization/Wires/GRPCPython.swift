import Foundation
import RPCKit
import ServiceKit

/// The client of gRPC for Python, in a process that makes one call after the other as it is told.
///
/// It ends with the tests, whose end closes its input. `@unchecked Sendable`: the pipes are used on the queue only.
final class GRPCPython: @unchecked Sendable {
  static let shared = Result { try GRPCPython() }

  /// Every call is a stream to it, which is the same on the wire and takes as many messages as there are.
  private static let program = #"""
    import base64, grpc, json, sys
    channels = {}
    def text(value):
        return base64.b64encode(value).decode() if isinstance(value, bytes) else value
    for line in sys.stdin:
        call = json.loads(line)
        path = call["socket"]
        if path not in channels:
            channels[path] = grpc.insecure_channel("unix:" + path)
        messages = iter([base64.b64decode(call["message"])])
        fields = [tuple(pair) for pair in call["metadata"]]
        answers = channels[path].stream_stream(call["method"])(messages, metadata=fields, timeout=20)
        taken = []
        try:
            for answer in answers:
                taken.append(text(answer))
                if call["takesOne"]:
                    answers.cancel()
                    break
        except grpc.RpcError:
            pass
        isWhole = not (call["takesOne"] and taken)
        found = dict(answers.initial_metadata() or [])
        if isWhole:
            found.update(answers.trailing_metadata() or [])
        print(json.dumps({
            "code": answers.code().value[0] if isWhole else 0,
            "message": answers.details() if isWhole else "",
            "status": text(found.get("grpc-status-details-bin", b"")),
            "messages": taken,
            "fields": {name: text(value) for name, value in found.items()},
        }), flush=True)
    """#

  private let queue = DispatchQueue(label: "gRPC for Python")
  private let (input, output) = (Pipe(), Pipe())

  private init() throws {
    let process = Process()
    // Debian packages the library for its own Python.
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", Self.program]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Makes one call; of a stream of answers the first is enough, if there is one.
  func call(
    _ method: String,
    at address: SocketAddress,
    _ message: [UInt8],
    _ metadata: Metadata,
    takesOne: Bool
  ) async throws -> GRPCAnswer {
    guard case .unix(let path) = address else {
      throw RPCError(.internal, "\(address) is no socket of Unix")
    }
    let call: JSONValue = [
      "method": .string(method), "socket": .string(path), "takesOne": .boolean(takesOne),
      "message": .string(Data(message).base64EncodedString()),
      "metadata": .array(
        metadata.entries.map { [.string($0.key), .string($0.value)] }
      ),
    ]
    let line = Data(call.bytes + [UInt8(ascii: "\n")])
    let answer = await withCheckedContinuation { continuation in
      queue.async { [self] in
        input.fileHandleForWriting.write(line)
        continuation.resume(returning: readLine())
      }
    }
    let limits = JSONLimits(byteCountMax: 1 << 20)
    guard let told = try? JSONReader.read(answer, limits: limits).object else {
      throw RPCError(.internal, "Python has no client of gRPC, or it failed; run scripts/setup")
    }
    return try GRPCAnswer(told: told)
  }

  /// What comes before the next line feed, or before the end.
  private func readLine() -> [UInt8] {
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { break }
      line += part
    }
    return line
  }
}
