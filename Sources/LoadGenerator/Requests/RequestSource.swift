internal import RPCKit

/// Gives the next request's bytes, without allocating.
package struct RequestSource: Sendable {
  /// The content of requests.
  package enum Content: Sendable {
    /// Sent in turn.
    case encoded(EncodedRequests)
    /// Filled in for each call.
    case template(RequestTemplate)
    /// A usual request and a slow one.
    case benchmark(usual: EncodedRequests, slow: EncodedRequests)
  }

  private let content: Content
  private var number: UInt64
  private let step: UInt64
  private var random: SplitMix64
  private var buffer: [UInt8] = []
  private var index = 0

  /// One of `step` sources that share the numbers of the calls: this one has `first`,
  /// `first + step` and so on.
  package init(_ content: Content, first: Int, step: Int, seed: UInt64) {
    self.content = content
    number = UInt64(first)
    self.step = UInt64(step)
    random = SplitMix64(seed: seed)
    switch content {
    case .encoded(let requests): index = first % requests.ranges.count
    case .template(let template): buffer = Array(repeating: 0, count: template.byteCountMax)
    case .benchmark: break
    }
  }

  /// Shows the next request.
  package mutating func withNext<Result>(
    isSlow: Bool,
    _ body: (Span<UInt8>) -> Result
  ) -> Result {
    switch content {
    case .encoded(let requests):
      return body(requests.bytes.span.extracting(requests.ranges[index]))
    case .template(let template):
      let start = template.render(number: number, random: &random, into: &buffer)
      return body(buffer.span.extracting(start..<buffer.count))
    case .benchmark(let usual, let slow):
      return body((isSlow ? slow : usual).bytes.span)
    }
  }

  /// The request was sent: the next one is due.
  ///
  /// A request that could not be sent is shown again.
  package mutating func advance() {
    number &+= step
    guard case .encoded(let requests) = content else { return }
    index = (index + Int(truncatingIfNeeded: step)) % requests.ranges.count
  }
}

/// The request and answer that all programs of the benchmark use; about as long as real ones.
enum BenchmarkRequest {
  static let content = RequestSource.Content.benchmark(
    usual: EncodedRequests(message: message(subject: "user:3f2a9c1e")),
    slow: EncodedRequests(message: message(subject: "slow"))
  )

  /// `allowed: true, reason: "ALLOWED"`, as every encoder writes it.
  static let answer: [UInt8] = [0x08, 1, 0x12, 7] + Array("ALLOWED".utf8)

  private static func message(subject: String) -> [UInt8] {
    let fields = [subject, "device.unlock", "portfolio/4711/unit/12/door/front", "app"]
    return fields.enumerated().flatMap { index, text in
      [UInt8(index + 1) << 3 | 2, UInt8(text.utf8.count)] + Array(text.utf8)
    }
  }
}
