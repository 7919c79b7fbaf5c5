import TestingContracts
import RPCKit

/// `benchmark.v1.Permissions` as every language serves it: the contexts of interop/README.md.
struct PermissionsHandler: Benchmark_V1.PermissionsService {
  func check(
    _ request: Benchmark_V1.CheckRequest,
    _ call: CallContext
  ) async throws -> Benchmark_V1.CheckResponse {
    if request.subject == "slow" { await call.loop.sleep(.milliseconds(10)) }
    let parts = request.context.split(
      separator: ":",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let argument = parts.count > 1 ? String(parts[1]) : ""
    switch parts.first.map(String.init) ?? "" {
    case "echo-metadata":
      return .init(allowed: true, reason: call.metadata[argument] ?? "")
    case "sleep":
      guard let duration = Self.duration(argument) else {
        throw RPCError(.invalidArgument, "sleep: not a duration")
      }
      await call.loop.sleep(duration)
      try Task.checkCancellation()
    case "fail":
      throw Self.failure(argument, withDetails: false)
    case "fail-details":
      throw Self.failure(argument, withDetails: true)
    case "reply":
      guard let count = Int(argument), (0...64 << 20).contains(count) else {
        throw RPCError(.invalidArgument, "reply: not a byte count")
      }
      return .init(allowed: true, reason: String(repeating: "r", count: count))
    case "request-length":
      return .init(allowed: true, reason: String(request.entity.utf8.count))
    default:
      break
    }
    guard !request.subject.isEmpty else { return .init() }
    return .init(allowed: true, reason: "ALLOWED")
  }

  /// `50ms` or `2s`, as Go writes them.
  private static func duration(_ text: String) -> Duration? {
    if text.hasSuffix("ms") { return Int64(text.dropLast(2)).map { .milliseconds($0) } }
    if text.hasSuffix("s") { return Int64(text.dropLast()).map { .seconds($0) } }
    return nil
  }

  private static func failure(_ argument: String, withDetails: Bool) -> RPCError {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let message = parts.count > 1 ? String(parts[1]) : ""
    guard let code = parts.first.flatMap({ Int32($0) }), code != 0 else {
      return RPCError(.invalidArgument, "fail: not an error code")
    }
    var error = RPCError(StatusCode(rawValue: code), message)
    if withDetails {
      // Field 2, length-delimited: `reason`.
      let text = Array(message.utf8)
      error.details = [
        .init(
          typeURL: "type.googleapis.com/benchmark.v1.CheckResponse",
          value: [0x12, UInt8(text.count)] + text
        )
      ]
    }
    return error
  }
}
