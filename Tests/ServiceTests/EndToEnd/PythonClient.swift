import Foundation
import Glibc
import RPCKit
import ServiceKit
import Testing

/// Scripts for Python that use libraries of others against an installation.
enum PythonClient {
  /// What a script finds at hand: the values that a test gives it, and how it says what it expects.
  private static let preamble = #"""
    import json, os, sys
    # Libraries would ask a proxy of this machine's for it.
    os.environ["no_proxy"] = "127.0.0.1"

    with open(sys.argv[1]) as file:
        values = json.load(file)

    def equal(found, wanted):
        assert found == wanted, "%r is not %r" % (found, wanted)

    def refused(kind, body):
        "Expects an error of this class."
        try:
            body()
        except kind:
            return
        raise AssertionError("not refused: " + kind.__name__)

    """#

  /// What is wrong according to a script; nil when it ran to its end.
  ///
  /// Debian packages libraries for its own Python, and `scripts/setup` makes others for those from PyPI. The values
  /// are in a file because tokens are among them, which everybody would see on a command line.
  static func problem(
    _ script: String,
    _ values: JSONObject,
    python: String = "/usr/bin/python3",
    in home: Installation
  ) async throws -> String? {
    try home.folder.write(JSONValue.object(values).text, to: "client.values")
    try home.folder.write(preamble + script, to: "client.py")
    let client = try ChildProcess(
      python,
      [home.folder.file("client.py"), home.folder.file("client.values")],
      output: home.folder.file("client.log")
    )
    let hasEnded = await home.auth.eventually(within: .seconds(120)) { client.ending != nil }
    if !hasEnded { client.send(SIGKILL) }
    guard client.ending != .exited(0) else { return nil }
    return "\(String(describing: client.ending)): \(home.folder.end(of: "client.log"))"
  }
}

extension ServiceProcess {
  /// Where it answers by HTTP.
  var url: String { target.replacing("tcp://", with: "http://") }
}
