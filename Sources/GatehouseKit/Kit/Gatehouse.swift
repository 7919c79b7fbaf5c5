import Foundation
import Synchronization

/// Gatehouse for an app: one for its whole life.
public final class Gatehouse: Sendable {
  /// The signed-in person.
  public let account: Account
  /// Permissions, roles, features and limits of the object that the person works in.
  public let rights: Rights
  /// The stream of changes.
  public let live: LiveChanges
  /// Documents of the person.
  public let documents: Documents
  /// Devices of a home.
  public let devices: Devices
  /// Invitations for the person, and those that it makes.
  public let invitations: Invitations
  /// The role of this device in a family.
  public let family: Family
  /// Points of a family's children.
  public let points: Points
  /// Purchases in a store.
  public let purchases: Purchases
  private let core: Core

  /// Makes the kit; nothing is read or sent before something is asked for.
  public init(
    _ configuration: Configuration,
    secrets: any SecretStore,
    cache: any CacheStore,
    transport: any Transport = URLSessionTransport(),
    time: any Timekeeper = SystemTimekeeper()
  ) {
    let client = Client(
      gateway: configuration.gateway,
      appVersion: configuration.appVersion,
      transport: transport,
      time: time
    )
    core = Core(
      configuration: configuration,
      client: client,
      stores: OrderedStores(secrets: secrets, cache: cache)
    )
    rights = Rights(core: core, offline: configuration.offline)
    live = LiveChanges(core: core, rights: rights)
    documents = Documents(core: core)
    devices = Devices(core: core)
    invitations = Invitations(core: core)
    points = Points(core: core)
    family = Family(core: core, deviceName: configuration.deviceName)
    purchases = Purchases(core: core, rights: rights)
    account = Account(core: core, rights: rights, deviceName: configuration.deviceName)
  }

  private static let shared = Mutex<Gatehouse?>(nil)

  /// The one that property wrappers ask if they name no other.
  public static var current: Gatehouse? { shared.withLock { $0 } }

  /// Makes this the one that property wrappers ask.
  public func makeCurrent() { Self.shared.withLock { $0 = self } }

  /// Keeps rights fresh and changes coming while the app is in front, until it is cancelled.
  public func run() async {
    await account.restore()
    await account.retryNow()
    await withDiscardingTaskGroup { group in
      group.addTask { [live] in await live.run() }
      group.addTask { [core, rights] in await Renewals(core: core, rights: rights).run() }
    }
  }

  /// Sends any call of the services with the session's token, and decodes `data` of the answer.
  public func call<Value: Decodable & Sendable>(
    _ call: Call,
    as type: Value.Type
  ) async throws -> Value {
    try await core.call(call, as: type)
  }
}
