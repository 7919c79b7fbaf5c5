import Foundation

extension Installation {
  /// Runs a script for the shell in the folder of the installation, with `gatehouse` and the services in
  /// its path and everybody's password set; the script and what it writes are in `shell.log`.
  ///
  /// It stops at the first command that fails, and at a line with `! ` before a command that succeeds.
  func shell(_ script: String) async throws -> ChildProcess.Ending? {
    let program = URL(fileURLWithPath: try ServiceProcess.program("tenancy"))
    // The shell's -e lets pass what succeeds behind a "!".
    let lines = script.split(separator: "\n").map { line in
      line.hasPrefix("! ") ? "if \(line.dropFirst(2)); then exit 9; fi" : String(line)
    }
    try folder.write(lines.joined(separator: "\n"), to: "shell.sh")
    let shell = try ChildProcess(
      "/usr/bin/env",
      [
        "-C", folder.path, "GATEHOUSE_PASSWORD=\(Person.password)", "HOME=\(folder.path)",
        "GATEHOUSE_AUTH=\(auth.target)", "GATEHOUSE_TENANCY=\(tenancy.target)",
        "GATEHOUSE_ENTITLEMENT=\(entitlement.target)",
        "PATH=\(program.deletingLastPathComponent().path):/usr/bin:/bin", "/bin/sh", "-eux",
        folder.file("shell.sh"),
      ],
      output: folder.file("shell.log")
    )
    let hasEnded = await tenancy.eventually(within: .seconds(60)) { shell.ending != nil }
    if !hasEnded { shell.send(SIGKILL) }
    return shell.ending
  }
}
