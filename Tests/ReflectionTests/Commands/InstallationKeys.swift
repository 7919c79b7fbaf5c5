import AuthService
import Foundation
import ServiceKit

/// The files that `gatehouse keys` makes, as the services read them.
enum InstallationKeys {
  /// Throws unless every pair fits and the secrets are good.
  static func check(_ directory: String) throws {
    let files = try contents(directory)
    for service in ["auth", "tenancy", "entitlement"] {
      let signing = try SigningKey(pem: files["\(service).private.pem"] ?? [])
      let verification = try VerificationKey(pem: files["\(service).public.pem"] ?? [])
      guard signing.verificationKey == verification else { throw Mismatch(service: service) }
    }
    _ = try AuthSecrets(json: files["auth.secrets.json"] ?? [])
    let secret = String(decoding: files["gateway.secret"] ?? [], as: UTF8.self)
    guard GatewaySecrets(secret) != nil, !secret.contains("\n") else {
      throw Mismatch(service: "gateway")
    }
  }

  /// Every file's bytes by its name.
  static func contents(_ directory: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      contents[name] = Array(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
    }
    return contents
  }

  struct Mismatch: Error {
    let service: String
  }
}
