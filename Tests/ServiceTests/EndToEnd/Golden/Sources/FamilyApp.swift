import Foundation

/// The structs of the family's app, as its plan has them (source 004); numbers are lines of it.
enum FamilyApp {
  // 004:78
  enum DeviceRole: String, Codable, Sendable {
    case parent
    case child
  }

  // 004:83
  struct DevicePairingPayload: Codable, Equatable {
    let id: String
    let childId: String?
    let deviceId: String
    let deviceName: String
    let deviceRole: DeviceRole
    let pairedAt: Date
    let familyId: String?
  }

  /// An answer with a pairing.
  struct Paired: Decodable {
    let pairing: DevicePairingPayload
  }
}
