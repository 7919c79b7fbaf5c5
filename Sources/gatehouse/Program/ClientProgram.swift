internal import Glibc
internal import RPCKit
internal import ServiceKit

/// `gatehouse` as a process: hands the command line to `Program`, and its exit code to the shell.
package enum ClientProgram {
  /// Runs to the end of the process.
  package static func main() async -> Never {
    let environment = ProcessEnvironment.variables
    let program = Program(
      environment: environment,
      console: .terminal(environment: environment),
      clock: SystemWallClock(),
      interrupts: { try ProcessSignals.watch([.interrupt, .terminate]) }
    )
    exit(await program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}

extension Console {
  /// The terminal, or wherever the shell has pointed its streams.
  static func terminal(environment: [String: String]) -> Console {
    Console(
      write: { text throws(FileBytes.WriteFailure) in
        try FileBytes.write(text, to: STDOUT_FILENO)
      },
      writeError: { FileBytes.writeAll($0, to: STDERR_FILENO) },
      readInput: { try FileBytes.read("/dev/stdin", byteCountMax: inputByteCountMax) },
      askSecret: { try PasswordPrompt.ask($0, $1) },
      outputStyle: TextStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment),
      errorStyle: TextStyle(isTerminal: isatty(STDERR_FILENO) == 1, environment)
    )
  }
}
