internal import RPCKit

/// A fetch of a small document over HTTPS, or a small message that is sent there.
///
/// Follows no redirect, asks no proxy, and connects to addresses of the public Internet only, so that an
/// address in a setting or in somebody's document leads to no service of this network.
package struct HTTPFetch: Hashable, Sendable {
  /// Where it is; begins with `https://`, or with `http://` if that is allowed.
  package let url: String
  /// The file with the authorities (PEM) instead of the system's.
  package var authorities: String?
  /// Which addresses the name may have; anything but the standard is for tests and closed networks.
  package var addresses: AddressRule
  /// Whether the address may begin with `http://`.
  package var allowsPlaintext = false
  /// The content sent with POST; GET without any.
  package var content: [UInt8] = []
  /// The media type of `content`.
  package var contentType = "application/x-www-form-urlencoded"
  /// Fields of the request's header besides those that HTTP needs.
  package var fields: [Field] = []
  /// Bytes of the document, at most.
  package var byteCountMax = 64 << 10
  /// Whether the status says all that matters: what comes of the body is kept as far as it comes, and one that is
  /// too large, breaks off or takes too long is no failure.
  package var takesStatusAlone = false
  /// How long all of it may take.
  package var timeout: Duration

  /// Describes a fetch; see the properties.
  package init(
    url: String,
    authorities: String? = nil,
    addresses: AddressRule = .publicOnly,
    timeout: Duration = .seconds(5)
  ) {
    self.url = url
    self.authorities = authorities
    self.addresses = addresses
    self.timeout = timeout
  }

  /// A field of a request's header, such as a token that the server wants.
  package struct Field: Hashable, Sendable {
    /// A token (RFC 9110, section 5.1).
    package let name: String
    /// Visible ASCII characters and blanks.
    package let value: String

    /// Makes a field, which must be well formed.
    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Whether a text is an https URL, or an http URL if that is allowed, that names nothing but a host, a path
  /// and a query.
  package static func isURL(_ text: String, allowsPlaintext: Bool = false) -> Bool {
    guard let scheme = scheme(of: text, allowsPlaintext: allowsPlaintext),
      text.utf8.count <= 1000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return false }
    let rest = text.dropFirst(scheme.count + 3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    return !authority.isEmpty && !authority.contains("@")
      && !rest.contains { "#\\\"<>".contains($0) }
  }

  private static func scheme(of url: String, allowsPlaintext: Bool) -> String? {
    if url.hasPrefix("https://") { return "https" }
    return allowsPlaintext && url.hasPrefix("http://") ? "http" : nil
  }

  /// Bytes of the answer's header, at most.
  static let headerByteCountMax = 16 << 10

  /// The server's answer, whatever its status.
  package struct Answer: Hashable, Sendable {
    /// The HTTP status, such as 200.
    package let status: Int
    /// The fields of the header by name in lower case; of those that come twice, the last.
    package let fields: [String: String]
    /// The content from the server, whatever it is.
    package let body: [UInt8]

    /// Makes an answer.
    package init(status: Int, fields: [String: String], body: [UInt8]) {
      self.status = status
      self.fields = fields
      self.body = body
    }
  }

  /// Why there is no answer, for operators.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// Makes a failure of its reason.
    package init(description: String) { self.description = description }
  }

  /// Fetches the document on a thread of its own.
  ///
  /// Throws `Failure` for what is not answered in full within the limits, `CancellationError` within about
  /// a second of the task's cancellation, and `SyscallError` when there can be no thread.
  package func run() async throws -> Answer {
    try Task.checkCancellation()
    let cancellation = Cancellation()
    let outcome = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          _ = try LoopThread(name: "fetch") {
            continuation.resume(returning: perform(cancellation))
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      cancellation.set()
    }
    try Task.checkCancellation()
    return try outcome.get()
  }

  private func perform(_ cancellation: Cancellation) -> Result<Answer, Failure> {
    guard let scheme = Self.scheme(of: url, allowsPlaintext: allowsPlaintext),
      url.utf8.count <= 2000, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      return .failure(
        Failure(description: "the address does not begin with https:// or has blanks")
      )
    }
    var peer = CurlTransfer.Peer(
      url: url,
      scheme: scheme,
      requiresTLS: scheme == "https",
      authorities: authorities,
      addresses: addresses
    )
    // A server may compress unasked if nothing is said (RFC 9110, section 12.5.3).
    // A caller that can read more says so itself.
    let saysCoding = fields.contains { $0.name.lowercased() == "accept-encoding" }
    peer.fields =
      (saysCoding ? [] : ["Accept-Encoding: identity"]) + fields.map { "\($0.name): \($0.value)" }
    // Expect is off: to wait for 100 (Continue) would delay messages to servers that do not send it.
    if !content.isEmpty { peer.fields += ["Content-Type: \(contentType)", "Expect:"] }
    do throws(CurlTransfer.Fault) {
      let transfer = try CurlTransfer(peer)
      let collector = Collector(byteCountMax, cancellation, sends: !content.isEmpty)
      switch transfer.perform(upload: content, timeout: timeout, collector) {
      case .complete(let status):
        return .success(Answer(status: status, fields: collector.fields, body: collector.body))
      case .failed(let reason):
        if takesStatusAlone, !cancellation.isSet, let status = collector.status {
          return .success(Answer(status: status, fields: collector.fields, body: collector.body))
        }
        return .failure(Failure(description: collector.excess ?? reason))
      }
    } catch {
      return .failure(Failure(description: error.description))
    }
  }

  /// Whether the task that waits was cancelled.
  private final class Cancellation: Sendable {
    private let state = Lock(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
  }

  /// Takes the answer, as much of it as is allowed.
  private final class Collector: CurlObserver {
    private(set) var fields: [String: String] = [:]
    private(set) var body: [UInt8] = []
    /// The status of the answer whose header has come in full.
    private(set) var status: Int?
    /// The last status line's code, while its header comes.
    private var announced: Int?
    /// The limit that was exceeded.
    private(set) var excess: String?
    private let byteCountMax: Int
    private let cancellation: Cancellation
    private let sends: Bool
    private var headerByteCount = 0

    init(_ byteCountMax: Int, _ cancellation: Cancellation, sends: Bool) {
      self.byteCountMax = byteCountMax
      self.cancellation = cancellation
      self.sends = sends
    }

    var isCancelled: Bool { cancellation.isSet }

    func connects() {}

    func receives(line: String) -> Bool {
      headerByteCount += line.utf8.count
      guard headerByteCount <= HTTPFetch.headerByteCountMax else {
        excess = "the answer's header is larger than \(HTTPFetch.headerByteCountMax) bytes"
        return false
      }
      // The status line begins the header, also that of the answer after a 103.
      guard !line.hasPrefix("HTTP/") else {
        fields = [:]
        (announced, status) = (Self.status(line), nil)
        return true
      }
      guard let colon = line.firstIndex(of: ":") else {
        // The blank line ends the header; answers of the hundreds are followed by another one.
        if line.allSatisfy(\.isNewline) { status = announced.flatMap { $0 >= 200 ? $0 : nil } }
        return true
      }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      fields[line[..<colon].lowercased()] = String(value.prefix { !$0.isNewline })
      return true
    }

    /// The number after the first blank: `HTTP/1.1 200 OK`.
    private static func status(_ line: String) -> Int? {
      let parts = line.split(separator: " ", maxSplits: 2)
      return parts.count < 2 ? nil : Int(parts[1].prefix { $0.isNumber })
    }

    func receives(_ piece: [UInt8]) -> Bool {
      guard body.count + piece.count <= byteCountMax else {
        excess = "the document is larger than \(byteCountMax) bytes"
        return false
      }
      body += piece
      return true
    }

    func mayUpload() -> Bool { sends }
  }
}
