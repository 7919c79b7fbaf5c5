internal import Glibc
internal import RPCKit
internal import ServiceKit

/// Runs a program with some input, and waits for its end.
enum ProgramRun {
  /// How it ended, with the beginning of what it wrote.
  enum Ending: Hashable, Sendable {
    case exited(Int32, String)
    case killed(Int32, String)
    /// It took too long, and was killed with everything that it had started.
    case tooSlow
    /// It did not start, and why.
    case notStarted(String)
  }

  /// Bytes of what it writes that are kept; the rest is read and dropped.
  static let outputByteCountMax = 4096

  /// How often its end is looked for while it says nothing, in milliseconds.
  private static let pause: Int32 = 10

  /// Runs `arguments[0]`, a path, without a shell; blocks the thread for as long as `timeout`.
  ///
  /// The program gets one socket as its standard input and both outputs, none of this process's other
  /// descriptors, no blocked signals, and of the environment only PATH, HOME and the language.
  static func run(_ arguments: [String], input: [UInt8], timeout: Duration) -> Ending {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      return .notStarted(reason(errno))
    }
    defer { close(ends[0]) }
    var id: pid_t = 0
    let code = start(arguments, on: ends[1], &id)
    close(ends[1])
    guard code == 0 else { return .notStarted(reason(code)) }
    return wait(for: id, on: ends[0], input, until: .now + timeout)
  }

  /// Starts the program; 0, or the error's number.
  private static func start(_ arguments: [String], on socket: Int32, _ id: inout pid_t) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in Int32(0)...2 {
      unsafe posix_spawn_file_actions_adddup2(&actions, socket, descriptor)
    }
    // Those of this process are closed by themselves, those of libraries perhaps not; closing what is not
    // open is no error here.
    for descriptor in Int32(3)..<1024 {
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // A group of its own, to end what it starts with it; and the signals as a shell would have them.
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let environment = ["PATH", "HOME", "LANG"].compactMap { name in
      ProcessEnvironment.variables[name].map { "\(name)=\($0)" }
    }
    var argumentPointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var environmentPointers = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      unsafe argumentPointers.forEach { unsafe free($0) }
      unsafe environmentPointers.forEach { unsafe free($0) }
    }
    return unsafe posix_spawn(
      &id,
      arguments[0],
      &actions,
      &attributes,
      &argumentPointers,
      &environmentPointers
    )
  }

  private static func wait(
    for id: pid_t,
    on socket: Int32,
    _ input: [UInt8],
    until deadline: ContinuousClock.Instant
  ) -> Ending {
    var rest = input[...]
    var output: [UInt8] = []
    var isOpen = true
    while true {
      var status: Int32 = 0
      let ended = unsafe waitpid(id, &status, WNOHANG)
      if ended == id || ended < 0 && errno != EINTR {
        receive(from: socket, &output)
        return ending(status, output)
      }
      guard ContinuousClock.now < deadline else {
        _ = kill(-id, SIGKILL)
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return .tooSlow
      }
      var wish = pollfd(fd: isOpen ? socket : -1, events: Int16(POLLIN), revents: 0)
      if !rest.isEmpty { wish.events |= Int16(POLLOUT) }
      guard unsafe poll(&wish, 1, pause) > 0 else { continue }
      if wish.revents & Int16(POLLOUT) != 0 { send(&rest, to: socket) }
      if wish.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
        isOpen = receive(from: socket, &output)
      }
    }
  }

  /// Sends as much as it takes now; when there is no more, or nobody reads it, the input has ended.
  private static func send(_ rest: inout ArraySlice<UInt8>, to socket: Int32) {
    let count = unsafe rest.withUnsafeBytes {
      unsafe Glibc.send(
        socket,
        $0.baseAddress,
        $0.count,
        Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
      )
    }
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      rest = []
    }
    if rest.isEmpty { _ = shutdown(socket, Int32(SHUT_WR)) }
  }

  /// Takes what was written so far; false when there will be no more.
  @discardableResult
  private static func receive(from socket: Int32, _ output: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 4096)
    // Not without end: the program may write faster than this reads.
    for _ in 0..<64 {
      let count = unsafe recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
      output += piece[..<min(count, max(0, outputByteCountMax - output.count))]
    }
    return true
  }

  private static func reason(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }

  /// The macros of wait(2), which Swift does not see.
  private static func ending(_ status: Int32, _ output: [UInt8]) -> Ending {
    let text = String(decoding: output, as: UTF8.self)
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF, text) : .killed(signal, text)
  }
}
