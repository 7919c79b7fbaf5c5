internal import CLinux
internal import Glibc

/// The only place that talks to the kernel: one short function per call, each named after its
/// manual page.
///
/// Retries EINTR, turns "would block" into a value, and reads errno before anything else can run.
enum Syscall {
  /// The outcome of a non-blocking transfer.
  enum Transfer: Equatable {
    /// So many bytes moved; zero from a read is the end of the stream.
    case bytes(Int)
    /// Nothing now; readiness will tell.
    case wouldBlock
    /// The call failed with this errno.
    case failed(Int32)
  }

  /// The text of an errno.
  static func message(for errno: Int32) -> String {
    unsafe String(cString: strerror(errno)).lowercased()
  }

  /// Nanoseconds of CLOCK_MONOTONIC (clock_gettime(2)).
  static func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Makes the soft limit of open descriptors the hard one, if the kernel lets it (setrlimit(2));
  /// returns the soft limit then, and 0 when it is not known.
  static func raiseDescriptorLimit() -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
    var raised = limit
    raised.rlim_cur = limit.rlim_max
    if unsafe setrlimit(resource, &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }

  /// The soft limit of open descriptors (getrlimit(2)); 0 when it is not known.
  static func descriptorLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 0
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The entries of /proc/self/fd without the one that counting needs (opendir(3), readdir(3)); 0 when it
  /// is not known.
  static func openDescriptorCount() -> Int {
    guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    // Not ".", "..", and the directory itself.
    return max(0, count - 3)
  }

  static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    transfer { unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// send(2) with MSG_NOSIGNAL, so that a closed peer is EPIPE and not a signal.
  static func send(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Transfer {
    transfer {
      unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
    }
  }

  static func close(_ descriptor: Int32) {
    // Linux frees the descriptor even on EINTR (close(2)), so there is nothing to retry.
    _ = Glibc.close(descriptor)
  }

  static func shutdownWriting(_ descriptor: Int32) {
    _ = Glibc.shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Bytes that were sent and are not acknowledged (SIOCOUTQ of tcp(7)); zero when it cannot be determined.
  static func unacknowledgedByteCount(_ descriptor: borrowing FileDescriptor) -> Int {
    max(0, Int(CLinux_unacknowledged(descriptor.number)))
  }

  /// The user at the other end of a Unix socket when it connected (SO_PEERCRED of unix(7)).
  static func peerUser(_ descriptor: borrowing FileDescriptor) -> UInt32? {
    let user = CLinux_peer_user(descriptor.number)
    return user < 0 ? nil : UInt32(truncatingIfNeeded: user)
  }

  /// Gives free memory of the heap back to the system (malloc_trim(3)).
  static func trimHeap() { _ = CLinux_trim_heap() }

  static func changeMode(_ path: String, _ mode: UInt32) throws(SyscallError) {
    try check("chmod") { unsafe Glibc.chmod(path, mode_t(mode)) }
  }

  static func socket(_ family: Int32) throws(SyscallError) -> FileDescriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    return FileDescriptor(owning: try check("socket") { Glibc.socket(family, type, 0) })
  }

  static func bind(
    _ descriptor: borrowing FileDescriptor,
    _ address: SocketAddress
  ) throws(SyscallError) {
    let number = descriptor.number
    try check("bind") { unsafe address.withSockaddr { unsafe Glibc.bind(number, $0, $1) } }
  }

  static func listen(
    _ descriptor: borrowing FileDescriptor,
    backlog: Int32
  ) throws(SyscallError) {
    let number = descriptor.number
    try check("listen") { Glibc.listen(number, backlog) }
  }

  /// Starts to connect.
  ///
  /// True when it is done already (Unix sockets), false while in progress.
  static func connect(
    _ descriptor: borrowing FileDescriptor,
    _ address: SocketAddress
  ) throws(SyscallError) -> Bool {
    let number = descriptor.number
    let result = unsafe address.withSockaddr { unsafe Glibc.connect(number, $0, $1) }
    if result == 0 { return true }
    let error = CLinux_errno()
    // EINTR: the connection is made in the background (connect(2)), as with EINPROGRESS.
    guard error == EINPROGRESS || error == EINTR else { throw SyscallError("connect", error) }
    return false
  }

  /// The pending error of a socket, which is how a connection in progress reports its failure.
  static func pendingError(_ descriptor: borrowing FileDescriptor) -> Int32 {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let result = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &error, &length)
    return result == 0 ? error : CLinux_errno()
  }

  static func setOption(
    _ descriptor: borrowing FileDescriptor,
    level: Int32,
    name: Int32,
    value: Int32
  ) throws(SyscallError) {
    let number = descriptor.number
    var value = value
    try check("setsockopt") {
      unsafe setsockopt(number, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Every small frame must leave at once: we coalesce ourselves (a stock Rust peer writes a
  /// frame in five pieces, and Nagle would wait for acknowledgements in between).
  static func setNoDelay(_ descriptor: borrowing FileDescriptor) throws(SyscallError) {
    try setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: 1)
  }

  /// Lets the kernel find out that a silent peer is gone (tcp(7)): about two minutes for one that
  /// does not answer, whatever it speaks.
  static func setKeepAlive(_ descriptor: borrowing FileDescriptor) throws(SyscallError) {
    try setOption(descriptor, level: SOL_SOCKET, name: SO_KEEPALIVE, value: 1)
    try setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: 60)
    try setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: 20)
    try setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: 3)
  }

  static func setReuseAddress(_ descriptor: borrowing FileDescriptor) throws(SyscallError) {
    try setOption(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, value: 1)
  }

  /// The address a socket is bound to, which tells the port when 0 was asked for.
  static func boundAddress(
    _ descriptor: borrowing FileDescriptor
  ) throws(SyscallError)
    -> SocketAddress?
  {
    let number = descriptor.number
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    try check("getsockname") {
      unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(number, $0, &length)
        }
      }
    }
    return SocketAddress(storage)
  }

  /// The outcome of one accept4(2).
  enum Acceptance {
    /// A new connection: descriptor number and the peer's address.
    case accepted(Int32, SocketAddress?)
    /// There is no waiting connection.
    case wouldBlock
    /// This one failed before it was accepted; the next may be fine.
    case retry
    /// Out of descriptors or memory; pause before trying again.
    case exhausted(Int32)
    /// The listener itself is broken.
    case failed(Int32)
  }

  static func accept(_ descriptor: borrowing FileDescriptor) -> Acceptance {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = descriptor.number
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept4(
          number,
          $0,
          &length,
          Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        )
      }
    }
    guard result < 0 else { return .accepted(result, SocketAddress(storage)) }
    let error = CLinux_errno()
    switch error {
    case EAGAIN: return .wouldBlock
    // Network errors of the new connection are reported by accept itself (accept(2), Notes).
    case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
      EOPNOTSUPP, ENETUNREACH, EPERM:
      return .retry
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(error)
    default: return .failed(error)
    }
  }

  /// The error of connect(2) without a listener.
  static var connectionRefused: Int32 { ECONNREFUSED }

  /// Whether an errno says that there are no more descriptors, and not no more memory.
  static func isLackOfDescriptors(_ errno: Int32) -> Bool { errno == EMFILE || errno == ENFILE }

  /// Asks getaddrinfo(3) for stream addresses.
  ///
  /// Blocks. Throws what getaddrinfo says is wrong, which is no errno.
  static func resolve(host: String, port: UInt16) throws(ResolverError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(host, nil, &hints, &list)
    guard result == 0 else {
      throw ResolverError(host: host, reason: unsafe String(cString: gai_strerror(result)))
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var entry = unsafe list
    while let current = unsafe entry {
      if let address = unsafe SocketAddress(current.pointee)?.withPort(port),
        !addresses.contains(address)
      {
        addresses.append(address)
      }
      unsafe entry = current.pointee.ai_next
    }
    return addresses
  }

  static func unlink(_ path: String) {
    _ = unsafe Glibc.unlink(path)
  }

  @discardableResult
  static func check(
    _ call: String,
    _ body: () -> Int32
  ) throws(SyscallError) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      let error = CLinux_errno()
      guard error == EINTR else { throw SyscallError(call, error) }
    }
  }

  private static func transfer(_ body: () -> Int) -> Transfer {
    while true {
      let result = body()
      if result >= 0 { return .bytes(result) }
      let error = CLinux_errno()
      switch error {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(error)
      }
    }
  }
}
