import Glibc
import RPCKit
import ServiceKit

/// A program that runs beside the tests and can be sent signals.
///
/// Not Foundation's `Process`, which must not be started from several threads at once and hands on
/// every descriptor of the tests (posix_spawn(3)).
final class ChildProcess: Sendable {
  /// How a process ended.
  enum Ending: Hashable, Sendable {
    /// By itself, with this code.
    case exited(Int32)
    /// By this signal.
    case killed(Int32)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let id: pid_t
  private let known = Lock<Ending?>(nil)

  /// Starts `program`; what it writes is appended to the file `output`.
  init(_ program: String, _ arguments: [String], output: String) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    let append = O_WRONLY | O_CREAT | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, append, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    // Other tests wait for the ends of pipes; closing what is not open is not an error here.
    for descriptor in Int32(3)..<1024 {
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var argumentPointers = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var environmentPointers = unsafe Self.environment.map { unsafe strdup($0) } + [nil]
    defer {
      unsafe argumentPointers.forEach { unsafe free($0) }
      unsafe environmentPointers.forEach { unsafe free($0) }
    }
    var id: pid_t = 0
    let code = unsafe posix_spawn(
      &id,
      program,
      &actions,
      nil,
      &argumentPointers,
      &environmentPointers
    )
    guard code == 0 else { throw Failure(description: "\(program) does not start: error \(code)") }
    self.id = id
  }

  /// That of the tests without what the services would take for settings.
  private static let environment = ProcessEnvironment.variables.filter {
    !$0.key.hasPrefix("GATEHOUSE_")
  }.map { "\($0.key)=\($0.value)" }

  /// Sends a signal, unless the process has ended.
  func send(_ signal: Int32) {
    known.withLock { known in
      // The number of a process that was waited for may be another one's by now.
      guard known == nil else { return }
      _ = kill(id, signal)
    }
  }

  /// How the process ended; nil while it runs.
  var ending: Ending? {
    known.withLock { known in
      guard known == nil else { return known }
      var status: Int32 = 0
      guard unsafe waitpid(id, &status, WNOHANG) == id else { return nil }
      // The macros of wait(2), which Swift does not see.
      let signal = status & 0x7F
      known = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
      return known
    }
  }
}
