internal import RPCKit
internal import ServiceKit

/// The file beside the session's that keeps device tokens, signed out or not.
///
/// A sign-in never fails because of it: without a token one only waits longer. A file that is not
/// what was kept here is left alone, because it may be somebody's.
struct KnownDevicesFile: Sendable {
  /// Where it is.
  let path: String
  private let context: CommandContext
  private static let byteCountMax = 256 << 10

  /// The file that belongs to the session of these options: `a.devices.json` beside `a.json`.
  init(_ context: CommandContext) {
    self.context = context
    path = Self.path(beside: context.options.sessionPath)
  }

  /// Where the file is for a session that is kept at `sessionPath`.
  static func path(beside sessionPath: String) -> String {
    let suffix = ".json"
    let stem = sessionPath.hasSuffix(suffix) ? sessionPath.dropLast(suffix.count) : sessionPath[...]
    return "\(stem).devices.json"
  }

  /// The token to sign in with; empty when there is none.
  ///
  /// Says when the file cannot be read.
  func token(of email: String) -> String {
    do {
      return try read().token(authTarget: authTarget, email: email)
    } catch {
      warn("signing in as an unknown device", error)
      return ""
    }
  }

  /// Keeps the token of an answer for the next sign-in.
  ///
  /// Says when it cannot.
  func keep(_ token: String, of email: String) {
    do {
      var devices = try read()
      guard devices.keep(token, authTarget: authTarget, email: email) else { return }
      try SecretFile.replace(path, with: devices.json.indentedText + "\n")
    } catch {
      warn("the next sign-in will be from an unknown device", error)
    }
  }

  private var authTarget: String { context.options.targets["auth"] ?? "" }

  private func read() throws -> KnownDevices {
    guard SecretFile.exists(path) else { return KnownDevices() }
    let bytes = try FileBytes.read(path, byteCountMax: Self.byteCountMax)
    do {
      let limits = JSONLimits(byteCountMax: Self.byteCountMax, depthMax: 4)
      return try KnownDevices(try JSONReader.read(bytes, limits: limits))
    } catch {
      throw FileError("\(path) is not a file of known devices (\(error)) and is left alone")
    }
  }

  private func warn(_ consequence: String, _ error: any Error) {
    context.console.writeError(
      "gatehouse: \(FailureText.printable("\(consequence): \(error)"))\n"
    )
  }
}
