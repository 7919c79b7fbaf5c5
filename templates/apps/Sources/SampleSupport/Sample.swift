import Foundation
import GatehouseKit

/// The shared part of the sample apps: where the services are, where tokens are kept, and signing in.
public enum Sample {
  /// The kit of an app, with its files in the folder that `SAMPLE_DATA` names.
  ///
  /// `GATEHOUSE` is the address of a gateway; without it the services are those of `scripts/up`.
  public static func gatehouse(_ app: String) -> Gatehouse {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["SAMPLE_DATA"] ?? ".gatehouse/sample-apps"
    let folder = URL(fileURLWithPath: data).appendingPathComponent(app)
    let gateway =
      environment["GATEHOUSE"].flatMap(URL.init(string:)).map { Gateway($0) }
      ?? Gateway(auth: local(7401), tenancy: local(7402), entitlement: local(7403))
    let gatehouse = Gatehouse(
      Configuration(gateway: gateway, appVersion: "\(app) 1.0", deviceName: "Terminal"),
      secrets: FileStore(folder: folder.appendingPathComponent("secrets")),
      cache: FileStore(folder: folder.appendingPathComponent("cache"))
    )
    gatehouse.makeCurrent()
    return gatehouse
  }

  private static func local(_ port: Int) -> URL {
    var address = URLComponents()
    address.scheme = "http"
    address.host = "127.0.0.1"
    address.port = port
    return address.url ?? URL(fileURLWithPath: "/")
  }

  /// Goes on with the session of the last run, or signs in, or else signs up.
  public static func enter(_ gatehouse: Gatehouse, email: String, name: String) async throws {
    let password = "correct horse battery 9"
    if case .signedIn(_, let user?) = await gatehouse.account.restore() {
      return print("still signed in: \(user.displayName)")
    }
    do {
      try await gatehouse.account.signIn(email: email, password: password)
    } catch let error as KitError where error.kind == .wrongCredentials {
      try await gatehouse.account.signUp(email: email, password: password, displayName: name)
    }
    print("signed in: \(gatehouse.account.state.user?.displayName ?? "")")
  }

  /// Runs an app; an error is a sentence for a person, and the request's number for support.
  public static func run(_ body: @Sendable () async throws -> Void) async {
    do {
      try await body()
    } catch let error as KitError {
      print("\(error.sentence()) [\(error)]")
      exit(1)
    } catch {
      print("\(error)")
      exit(1)
    }
  }
}

/// An object as it is made: only its identifier matters.
public struct Made: Decodable, Sendable {
  /// Its identifier.
  public var id: String
}
