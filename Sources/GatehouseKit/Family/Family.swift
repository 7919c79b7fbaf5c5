public import Foundation

/// The role of a device in a family.
public struct DeviceRole: OpenName, Codable {
  /// The name: `parent`, `child`.
  public var rawValue: String

  /// Makes a role.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A parent's or guardian's device: parent mode only.
  public static let parent: DeviceRole = "parent"
  /// A child's device: child mode, and parent mode behind a PIN.
  public static let child: DeviceRole = "child"
}

/// A device's pairing with a family.
public struct Pairing: Codable, Hashable, Sendable {
  /// Identifier, `par_…`.
  public var id: String
  /// The family.
  public var familyId: String
  /// The child whose device it is.
  public var childId: String?
  /// The child's name.
  public var childName: String?
  /// The role that the device has.
  public var deviceRole: DeviceRole
  /// The device.
  public var deviceId: String
  /// Its name for people.
  public var deviceName: String?
  /// When it was paired.
  public var pairedAt: Date?
}

/// A mode that a device shows.
public struct DeviceMode: Codable, Hashable, Sendable {
  /// `parent` or `child`.
  public var mode: String
  /// Whether it is open without a further proof.
  public var allowed: Bool
  /// Why.
  public var reason: String?
}

/// The pairing of this device and the modes that it shows.
public struct DeviceContext: Codable, Hashable, Sendable {
  /// The pairing.
  public var pairing: Pairing
  /// The modes.
  public var modes: [DeviceMode]
}

/// Families: the role of this device, pairing, and parent mode.
///
/// The role is kept on the device without an end, so that a child's device is none of a parent when it is offline.
public final class Family: Sendable {
  private static let deviceSecret = "device"
  private static let contextName = "device/context"

  private struct PairBody: Encodable {
    var code: String
    var deviceId: String
    var deviceName: String
  }

  private struct Paired: Decodable, Sendable { var pairing: Pairing }

  private struct PinBody: Encodable {
    var familyId: String
    var pin: String
  }

  private struct Elevated: Decodable, Sendable {
    struct Token: Decodable, Sendable {
      var token: String
      var expiresAt: Date
    }

    var token: Token
  }

  private let core: Core
  private let deviceName: String

  init(core: Core, deviceName: String) {
    self.core = core
    self.deviceName = deviceName
  }

  /// The device as it calls itself: random, made once, and kept over sign-outs, because it is no person's.
  public func deviceID() async throws -> String {
    let id = RandomText.make()
    let read = try await core.stores.changeSecret(Self.deviceSecret) { read in
      read == .none ? Data(id.utf8) : nil
    }.value
    guard case .value(let data) = read else { throw KitError(.storage) }
    return String(bytes: data, encoding: .utf8) ?? ""
  }

  /// The context that is known on the device, without asking the server; absent if it was never paired.
  public func knownContext() async -> DeviceContext? {
    guard let data = try? await core.stores.cached(Self.contextName).value else { return nil }
    return try? Wire.decode(DeviceContext.self, from: data)
  }

  /// The context by the server; absent if the device is not paired: show the set-up.
  ///
  /// Without a server it is the last that is known.
  public func context() async throws -> DeviceContext? {
    let id = try await deviceID()
    do {
      let call = Call(.get, "pairings/devices/\(Call.segment(id))")
      let context = try await core.call(call, as: DeviceContext.self)
      try await core.stores.keepCached(Self.contextName, Wire.encode(context)).value
      return context
    } catch let error as KitError where error.kind == .gone {
      try await core.stores.removeCached(prefix: Self.contextName).value
      return nil
    } catch let error as KitError where error.kind == .offline {
      guard let known = await knownContext() else { throw error }
      return known
    }
  }

  /// Pairs this device with the code that a parent has made.
  @discardableResult
  public func pair(code: String) async throws -> DeviceContext? {
    let body = PairBody(code: code, deviceId: try await deviceID(), deviceName: deviceName)
    _ = try await core.call(Call(.post, "pairings", body: body).once(), as: Paired.self)
    return try await context()
  }

  /// Ends a pairing, and forgets the role of this device if it is its own.
  public func unpair(_ pairing: Pairing, in mode: ParentMode? = nil) async throws {
    let call = Call(.delete, "pairings/\(Call.segment(pairing.id))")
    if let mode {
      _ = try await mode.call(call, as: NoAnswer.self)
    } else {
      _ = try await core.call(call, as: NoAnswer.self)
    }
    if try await deviceID() == pairing.deviceId {
      try await core.stores.removeCached(prefix: Self.contextName).value
    }
  }

  /// Enters parent mode with the family's PIN, for five minutes; let go of it when the app leaves the front.
  public func enterParentMode(family: String, pin: String) async throws -> ParentMode {
    let epoch = try await core.keeper.bearer().epoch
    let body = PinBody(familyId: family, pin: pin)
    let call = try Call(.post, "auth/step-up/family-pin", body: body)
    let token = try await core.call(call, as: Elevated.self).token
    return ParentMode(core: core, token: token.token, expiresAt: token.expiresAt, epoch: epoch)
  }
}

/// Parent mode: calls with a token for one family and five minutes, kept in memory alone.
public struct ParentMode: Sendable {
  private let core: Core
  private let token: String
  private let epoch: Int
  /// When it ends.
  public let expiresAt: Date

  init(core: Core, token: String, expiresAt: Date, epoch: Int) {
    self.core = core
    self.token = token
    self.expiresAt = expiresAt
    self.epoch = epoch
  }

  /// Sends a call in parent mode.
  ///
  /// When the mode has ended, the error asks for the PIN again.
  public func call<Value: Decodable & Sendable>(
    _ call: Call,
    as type: Value.Type
  ) async throws -> Value {
    guard core.keeper.epoch == epoch else { throw KitError.signedOut(.signedOut) }
    do {
      let value = try await core.client.reply(call, token: token, as: type).value
      guard core.keeper.epoch == epoch else { throw KitError.signedOut(.signedOut) }
      return value
    } catch let error as KitError where Client.tokenReasons.contains(error.reason) {
      throw KitError(.stepUpNeeded, reason: "STEP_UP_REQUIRED", requestID: error.requestID)
    }
  }
}
