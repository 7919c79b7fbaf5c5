/// The request and answer that all programs of the benchmark use; about as long as real ones.
enum BenchmarkRequest {
  /// Where the benchmark's server takes it by REST.
  static let route = (method: "POST", path: "/v1/check")

  static let content = RequestSource.Content.benchmark(
    usual: EncodedRequests(message: message(subject: usual)),
    slow: EncodedRequests(message: message(subject: slow))
  )

  /// The same as JSON.
  static let json = RequestSource.Content.benchmark(
    usual: EncodedRequests(message: text(subject: usual)),
    slow: EncodedRequests(message: text(subject: slow))
  )

  /// `allowed: true, reason: "ALLOWED"`, as every encoder writes it.
  static let answer: [UInt8] = [0x08, 1, 0x12, 7] + Array("ALLOWED".utf8)
  /// The same in the envelope of answers by REST.
  static let jsonAnswer = Array(
    #"{"status":"success","data":{"allowed":true,"reason":"ALLOWED"}}"#.utf8
  )

  private static let usual = "user:3f2a9c1e"
  private static let slow = "slow"
  private static let rest = ["device.unlock", "portfolio/4711/unit/12/door/front", "app"]

  private static func message(subject: String) -> [UInt8] {
    ([subject] + rest).enumerated().flatMap { index, text in
      [UInt8(index + 1) << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
    }
  }

  private static func text(subject: String) -> [UInt8] {
    let members = zip(["subject", "action", "entity", "context"], [subject] + rest)
    return Array("{\(members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ","))}".utf8)
  }
}
