internal import RPCKit

/// Gives the next request's bytes, without allocating.
package struct RequestSource: Sendable {
  /// The content of requests.
  package enum Content: Sendable {
    /// Sent in turn.
    case encoded(EncodedRequests)
    /// Filled in for each call.
    case template(RequestTemplate)
    /// Text that is filled in for each call.
    case text(TextTemplate)
    /// A usual request and a slow one.
    case benchmark(usual: EncodedRequests, slow: EncodedRequests)

    /// Whether any request has a byte.
    var hasBytes: Bool {
      if case .encoded(let requests) = self { return !requests.bytes.isEmpty }
      return true
    }
  }

  private let content: Content
  private var number: UInt64
  private let step: UInt64
  private var random: SplitMix64
  private var buffer: [UInt8] = []
  private var index = 0
  private let path: TextTemplate?
  private var pathBuffer: [UInt8] = []

  /// Begins one of `step` sources, which has the calls `first`, `first + step` and so on.
  ///
  /// `path` is that of requests by REST, if it differs from call to call.
  package init(
    _ content: Content,
    path: TextTemplate? = nil,
    first: Int,
    step: Int,
    seed: UInt64
  ) {
    self.content = content
    self.path = path
    if let path { pathBuffer = Array(repeating: 0, count: path.byteCountMax) }
    number = UInt64(first)
    self.step = UInt64(step)
    random = SplitMix64(seed: seed)
    switch content {
    case .encoded(let requests): index = first % requests.ranges.count
    case .template(let template): buffer = Array(repeating: 0, count: template.byteCountMax)
    case .text(let template): buffer = Array(repeating: 0, count: template.byteCountMax)
    case .benchmark: break
    }
  }

  /// Shows the next request: its path, which is empty if it is the same for all, and its message.
  package mutating func withNext<Result>(
    isSlow: Bool,
    _ body: (_ path: Span<UInt8>, _ message: Span<UInt8>) -> Result
  ) -> Result {
    let pathStart = path?.render(number: number, random: &random, into: &pathBuffer) ?? 0
    let start =
      switch content {
      case .template(let template): template.render(number: number, random: &random, into: &buffer)
      case .text(let template): template.render(number: number, random: &random, into: &buffer)
      case .encoded, .benchmark: 0
      }
    let path = pathBuffer.span.extracting(pathStart..<pathBuffer.count)
    switch content {
    case .encoded(let requests):
      return body(path, requests.bytes.span.extracting(requests.ranges[index]))
    case .template, .text:
      return body(path, buffer.span.extracting(start..<buffer.count))
    case .benchmark(let usual, let slow):
      return body(path, (isSlow ? slow : usual).bytes.span)
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
