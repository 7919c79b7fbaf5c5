public import Foundation

/// A device of a home.
public struct Device: Codable, Hashable, Sendable {
  /// Identifier, `dev_…`.
  public var id: String
  /// Name to show.
  public var name: String
  /// Its type, as the policy names it: `lock`.
  public var type: String
  /// The property that it is in.
  public var propertyId: String?
  /// The property's name.
  public var propertyName: String?
  /// The unit that it is in.
  public var unitId: String?
  /// The unit's name.
  public var unitName: String?
  /// Values that the device has reported, as far as the person may see them.
  public var attributes: JSONValue?
  /// The state that was asked for last, while it is not reported yet.
  public var desiredState: String?
  /// When it last reported.
  public var reportedAt: Date?
  /// Changes with every change.
  public var revision: String
}

/// The answer to an operation of a device.
public struct Operated: Decodable, Hashable, Sendable {
  /// The device, with what is desired now.
  public var device: Device
  /// The command that its hub gets; absent if nothing is to be sent.
  public var commandId: String?
}

/// Devices that the person may see, and what it may do with them.
public struct Devices: Sendable {
  private struct Page: AnswerPage {
    var devices: [Device]
    var nextPageToken: String?
    var items: [Device] { devices }
  }

  private struct Parameters: Encodable { var parameters: [String: JSONValue] }

  let core: Core

  private func path(_ id: String) -> String { "devices/\(Call.segment(id))" }

  /// The devices of a unit, of a property, or of a portfolio; of all if none is named.
  public func list(
    unit: String? = nil,
    property: String? = nil,
    portfolio: String? = nil
  ) async throws -> [Device] {
    let places = [("unitId", unit), ("propertyId", property), ("portfolioId", portfolio)]
    let query = places.compactMap { name, value in value.map { (name, $0) } }
    return try await core.all("devices", query: query, as: Page.self)
  }

  /// Reads a device.
  public func get(_ id: String) async throws -> Device {
    try await core.call(Call(.get, path(id)), as: Device.self)
  }

  /// Does an operation, such as `unlock`, once, however often it has to be sent.
  ///
  /// A refusal is a `KitError` whose sentence is for the person.
  @discardableResult
  public func operate(
    _ id: String,
    _ operation: String,
    parameters: [String: JSONValue] = [:]
  ) async throws -> Operated {
    let path = "\(path(id))/\(Call.segment(operation))"
    let call = try Call(.post, path, body: Parameters(parameters: parameters)).once()
    return try await core.call(call, as: Operated.self)
  }
}
