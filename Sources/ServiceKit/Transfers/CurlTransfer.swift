internal import CCurl
internal import Glibc
internal import RPCKit

/// The receiver of a transfer's events while it runs, on the thread that performs it.
package protocol CurlObserver: AnyObject {
  /// Whether to give up; asked about once a second while nothing happens, and more often otherwise.
  var isCancelled: Bool { get }

  /// A connection is being made; lines that come from now on are its first.
  func connects()

  /// Takes a line of the header, or of a reply of an SMTP server; false ends the transfer.
  func receives(line: String) -> Bool

  /// Takes a piece of the body; false ends the transfer.
  func receives(_ piece: [UInt8]) -> Bool

  /// Whether what is to be sent may be sent now; false ends the transfer.
  func mayUpload() -> Bool
}

/// One handle of libcurl: transfers to one server, one after the other, over a connection that is kept.
///
/// Everything that libcurl would do unasked is off: redirects, proxies and passwords of the environment,
/// protocols besides those of `Peer`. Settings do not change after `init`, because libcurl may use a
/// connection again that was made with other ones (CVE-2026-4873, CVE-2026-8286). Blocks the thread that
/// calls it, so not on a loop. Not `Sendable`: make it, use it and let go of it on one thread.
@safe
package final class CurlTransfer {
  /// A server, and how it is spoken to.
  package struct Peer: Hashable, Sendable {
    /// Names and passwords for a server.
    package struct Credentials: Hashable, Sendable {
      package let user: String
      package let password: String

      /// Makes credentials.
      package init(user: String, password: String) {
        self.user = user
        self.password = password
      }
    }

    /// Where it is, with the scheme.
    package let url: String
    /// The scheme, and no other one; for SMTP `smtp` or `smtps`.
    package let scheme: String
    /// Whether a connection without TLS is an error; with `smtp`, STARTTLS must succeed then.
    package var requiresTLS: Bool
    /// The file with the authorities (PEM) instead of the system's.
    package var authorities: String?
    package var credentials: Credentials?
    package var addresses: AddressRule
    /// Lines of the header of HTTP requests, besides or instead of those that libcurl writes.
    package var fields: [String] = []

    /// Describes a server; see the properties.
    package init(
      url: String,
      scheme: String,
      requiresTLS: Bool = true,
      authorities: String? = nil,
      credentials: Credentials? = nil,
      addresses: AddressRule = .any
    ) {
      self.url = url
      self.scheme = scheme
      self.requiresTLS = requiresTLS
      self.authorities = authorities
      self.credentials = credentials
      self.addresses = addresses
    }
  }

  /// From whom and to whom a mail is.
  package struct Envelope: Hashable, Sendable {
    let sender: String
    let recipient: String

    /// Names both ends of a mail.
    package init(sender: String, recipient: String) {
      self.sender = sender
      self.recipient = recipient
    }
  }

  /// How a transfer ended.
  package enum Ending: Hashable, Sendable {
    /// To the end; the status that an HTTP server answered with.
    case complete(status: Int)
    /// Why not, for people.
    case failed(String)
  }

  /// libcurl lacks something, or out of memory.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  /// How long making a connection may take, the dialogue before the first mail included.
  private static let connectTimeout = 10_000
  /// How long a server may take to say goodbye, in seconds.
  private static let closeTimeout = 2

  /// Whether the library could be loaded; nobody who makes no transfers needs its memory and its time at the
  /// start (docs/decisions/0171).
  private static let isLoaded = CCurl_load()

  private let handle: UnsafeMutableRawPointer
  /// Where libcurl writes what went wrong.
  private let text: UnsafeMutablePointer<CChar>
  /// The exchange that the callbacks know; they are called until the handle is cleaned up.
  private let exchange: Exchange
  /// The lines of `Peer.fields`, which libcurl does not copy.
  private var fields: UnsafeMutablePointer<curl_slist>?

  /// Makes a handle for one server; connects when the first transfer does.
  ///
  /// Throws `Fault` when libcurl cannot be used.
  package init(_ peer: Peer) throws(Fault) {
    guard Self.isLoaded else {
      let reason = unsafe String(cString: CCurl_load_error())
      throw Fault(description: "libcurl cannot be used: \(reason)")
    }
    guard let handle = unsafe CCurl_easy_init() else {
      throw Fault(description: "libcurl has no memory")
    }
    unsafe self.handle = handle
    unsafe text = .allocate(capacity: Int(CCurl_ERROR_SIZE))
    unsafe text.initialize(repeating: 0, count: Int(CCurl_ERROR_SIZE))
    exchange = Exchange(peer.addresses)
    unsafe fields = nil
    try configure(peer)
    try setFields(peer.fields)
    try setCallbacks()
  }

  deinit {
    unsafe CCurl_set_number(handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, Self.closeTimeout)
    // Says goodbye, so the callbacks are called once more.
    unsafe CCurl_easy_cleanup(handle)
    unsafe CCurl_slist_free_all(fields)
    unsafe text.deallocate()
  }

  /// Makes the transfer: `upload` is sent, and `observer` gets what comes.
  ///
  /// With an envelope it is a mail; without one a fetch, by POST if there is something to send. Ends after
  /// `timeout`, and within about a second of the observer's cancellation.
  package func perform(
    _ envelope: Envelope? = nil,
    upload: [UInt8] = [],
    timeout: Duration,
    _ observer: any CurlObserver
  ) -> Ending {
    exchange.begin(observer, upload)
    defer { exchange.end() }
    do throws(Fault) {
      let milliseconds = max(1, Int(timeout / .milliseconds(1)))
      try set(CURLOPT_TIMEOUT_MS, milliseconds)
      // In whole seconds; what is shorter is for the line above.
      try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, milliseconds / 1000 + 1)
      guard let envelope else {
        if !upload.isEmpty {
          try set(CURLOPT_POST, 1)
          try check(unsafe CCurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, upload.count))
        }
        return run()
      }
      let recipients = unsafe CCurl_slist_append(nil, envelope.recipient)
      defer { unsafe CCurl_slist_free_all(recipients) }
      guard unsafe recipients != nil else { return .failed("out of memory") }
      try check(unsafe CCurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
      // Of a list that is gone nothing must be left behind.
      defer { unsafe CCurl_set_list(handle, CURLOPT_MAIL_RCPT, nil) }
      try set(CURLOPT_MAIL_FROM, envelope.sender)
      try set(CURLOPT_UPLOAD, 1)
      try check(unsafe CCurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, upload.count))
      return run()
    } catch {
      return .failed(error.description)
    }
  }

  private func run() -> Ending {
    unsafe text[0] = 0
    let code = unsafe CCurl_easy_perform(handle)
    guard code == CURLE_OK else {
      let said = unsafe String(cString: text)
      let isRefused = code == CURLE_COULDNT_CONNECT && exchange.refusesAddress
      return .failed(
        isRefused
          ? "the server's address is not one that may be connected to"
          : said.isEmpty ? unsafe String(cString: CCurl_easy_strerror(code)) : said
      )
    }
    var status = 0
    unsafe CCurl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
    return .complete(status: status)
  }

  // MARK: - Options

  private func configure(_ peer: Peer) throws(Fault) {
    try check(unsafe CCurl_set_pointer(handle, CURLOPT_ERRORBUFFER, text))
    // Timeouts by signals do not fit threads.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_URL, peer.url)
    try set(CURLOPT_PROTOCOLS_STR, peer.scheme)
    try set(CURLOPT_REDIR_PROTOCOLS_STR, peer.scheme)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // An empty text turns off those of the environment.
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_USERAGENT, "gatehouse")
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeout)
    try set(CURLOPT_SSLVERSION, CCurl_SSLVERSION_TLSv1_2)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    if let authorities = peer.authorities {
      try set(CURLOPT_CAINFO, authorities)
      // The system's folder would count besides.
      try check(unsafe CCurl_set_text(handle, CURLOPT_CAPATH, nil))
    }
    try set(CURLOPT_USE_SSL, peer.requiresTLS ? CCurl_USESSL_ALL : CCurl_USESSL_NONE)
    if let credentials = peer.credentials {
      try set(CURLOPT_USERNAME, credentials.user)
      try set(CURLOPT_PASSWORD, credentials.password)
      try set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
    }
  }

  private func setFields(_ lines: [String]) throws(Fault) {
    for line in lines {
      guard let longer = unsafe CCurl_slist_append(fields, line) else {
        throw Fault(description: "out of memory")
      }
      unsafe fields = longer
    }
    if unsafe fields != nil { try check(unsafe CCurl_set_list(handle, CURLOPT_HTTPHEADER, fields)) }
  }

  private func setCallbacks() throws(Fault) {
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    for option in [
      CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA,
      CURLOPT_OPENSOCKETDATA,
    ] { try check(unsafe CCurl_set_pointer(handle, option, context)) }
    try check(
      unsafe CCurl_set_bytes_callback(handle, CURLOPT_HEADERFUNCTION) {
        bytes,
        size,
        count,
        context in
        unsafe Exchange.of(context).takeLine(bytes, size * count)
      }
    )
    try check(
      unsafe CCurl_set_bytes_callback(handle, CURLOPT_WRITEFUNCTION) {
        bytes,
        size,
        count,
        context in
        unsafe Exchange.of(context).takePiece(bytes, size * count)
      }
    )
    try check(
      unsafe CCurl_set_bytes_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
        unsafe Exchange.of(context).givePiece(bytes, size * count)
      }
    )
    try check(
      unsafe CCurl_set_progress_callback(handle) { context, _, _, _, _ in
        unsafe Exchange.of(context).isCancelled ? 1 : 0
      }
    )
    try set(CURLOPT_NOPROGRESS, 0)
    try check(
      unsafe CCurl_set_socket_callback(handle) { context, _, address in
        unsafe Exchange.of(context).openSocket(address)
      }
    )
  }

  private func set(_ option: CURLoption, _ value: Int) throws(Fault) {
    try check(unsafe CCurl_set_number(handle, option, value))
  }

  private func set(_ option: CURLoption, _ value: String) throws(Fault) {
    try check(unsafe CCurl_set_text(handle, option, value))
  }

  private func check(_ code: CURLcode) throws(Fault) {
    guard code == CURLE_OK else {
      throw Fault(description: "libcurl: \(unsafe String(cString: CCurl_easy_strerror(code)))")
    }
  }
}

/// The transfer that runs, as libcurl's callbacks know it.
@safe
private final class Exchange {
  private let addresses: AddressRule
  private var observer: (any CurlObserver)?
  private var upload: ArraySlice<UInt8> = []
  /// Whether the last address was one that the rule forbids.
  private(set) var refusesAddress = false

  init(_ addresses: AddressRule) { self.addresses = addresses }

  static func of(_ context: UnsafeMutableRawPointer?) -> Exchange {
    guard let context = unsafe context else {
      preconditionFailure("every callback was given the exchange")
    }
    return unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  }

  func begin(_ observer: any CurlObserver, _ upload: [UInt8]) {
    self.observer = observer
    self.upload = upload[...]
    refusesAddress = false
  }

  func end() {
    observer = nil
    upload = []
  }

  var isCancelled: Bool { observer?.isCancelled ?? false }

  /// A number other than `count` ends the transfer (CURLOPT_HEADERFUNCTION(3)).
  func takeLine(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let observer else { return count }
    let line = unsafe String(decoding: Self.piece(bytes, count), as: UTF8.self)
    return observer.receives(line: line) ? count : count + 1
  }

  func takePiece(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    guard let observer else { return count }
    return observer.receives(unsafe Self.piece(bytes, count)) ? count : count + 1
  }

  func givePiece(_ bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
    guard let bytes = unsafe bytes, observer?.mayUpload() == true else {
      return Int(CCurl_READFUNC_ABORT)
    }
    let piece = upload.prefix(room)
    for (place, byte) in piece.enumerated() { unsafe bytes[place] = CChar(bitPattern: byte) }
    upload = upload.dropFirst(piece.count)
    return piece.count
  }

  /// A socket for an address that the name was resolved to, unless the rule forbids it.
  func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> Int32 {
    guard let address = unsafe address, let found = unsafe Self.socketAddress(address),
      addresses.allows(found)
    else {
      refusesAddress = true
      return CCurl_SOCKET_BAD
    }
    observer?.connects()
    let kind = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(address.pointee.family, kind, address.pointee.protocol)
  }

  private static func piece(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: bytes, count: unsafe bytes == nil ? 0 : count))
  }

  /// The address behind the struct's last member, which is longer than its type says.
  private static func socketAddress(
    _ address: UnsafeMutablePointer<curl_sockaddr>
  ) -> SocketAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let length = unsafe Int(address.pointee.addrlen)
    let bytes = unsafe [UInt8](
      UnsafeRawBufferPointer(start: UnsafeRawPointer(address) + offset, count: length)
    )
    // The places of port and address in sockaddr_in and sockaddr_in6 (ip(7), ipv6(7)).
    guard length >= 16 else { return nil }
    let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    switch unsafe address.pointee.family {
    case AF_INET: return .ipv4(Array(bytes[4..<8]), port: port)
    case AF_INET6 where length >= 24: return .ipv6(Array(bytes[8..<24]), port: port)
    default: return nil
    }
  }
}
