import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Testing

/// What people enter in the contracts of the three services.
@Suite struct EnteredTextTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var field: String
    /// The request with this text in the field, and everything else in order.
    var request: @Sendable (String) -> any Message
    var testDescription: String { "\(type(of: request("")).protobufName) \(field)" }
  }

  static let names: [Case] = [
    Case(field: "display_name") { signUp(displayName: $0) },
    Case(field: "first_name") { signUp(firstName: $0) },
    Case(field: "last_name") { signUp(lastName: $0) },
    Case(field: "device.name") { signUp(device: Auth_V1.Device(name: $0)) },
    Case(field: "device.model") { signUp(device: Auth_V1.Device(model: $0)) },
    Case(field: "device.application") { signUp(device: Auth_V1.Device(application: $0)) },
    Case(field: "display_name") { Auth_V1.UpdateProfileRequest(displayName: $0) },
    Case(field: "first_name") { Auth_V1.UpdateProfileRequest(firstName: $0) },
    Case(field: "last_name") { Auth_V1.UpdateProfileRequest(lastName: $0) },
    Case(field: "name") { Tenancy_V1.CreatePortfolioRequest(name: $0) },
    Case(field: "name") { Tenancy_V1.UpdatePortfolioRequest(portfolioId: "p", name: $0) },
    Case(field: "name") { Tenancy_V1.CreatePortfolioPropertyRequest(portfolioId: "p", name: $0) },
    Case(field: "name") { Tenancy_V1.CreatePropertyRequest(portfolioId: "p", name: $0) },
    Case(field: "name") { Tenancy_V1.UpdatePropertyRequest(propertyId: "p", name: $0) },
    Case(field: "address.street") { address(Tenancy_V1.PropertyAddress(street: $0)) },
    Case(field: "address.city") { address(Tenancy_V1.PropertyAddress(city: $0)) },
    Case(field: "address.state") { address(Tenancy_V1.PropertyAddress(state: $0)) },
    Case(field: "address.postal_code") { address(Tenancy_V1.PropertyAddress(postalCode: $0)) },
    Case(field: "address.country") { address(Tenancy_V1.PropertyAddress(country: $0)) },
    Case(field: "name") { Tenancy_V1.CreatePropertyUnitRequest(propertyId: "p", name: $0) },
    Case(field: "name") { Tenancy_V1.CreateUnitRequest(propertyId: "p", name: $0) },
    Case(field: "name") { Tenancy_V1.UpdateUnitRequest(unitId: "u", name: $0) },
    Case(field: "name") { Tenancy_V1.RegisterDeviceRequest(propertyId: "p", name: $0, type: "t") },
    Case(field: "name") { Tenancy_V1.UpdateDeviceRequest(deviceId: "d", name: $0) },
  ]

  static let notes: [Case] = [
    Case(field: "note") { Tenancy_V1.SuspendRequest(userId: "u", note: $0) },
    Case(field: "reason") {
      Entitlement_V1.Override(
        feature: Entitlement_V1.FeatureValue(key: "k"),
        reason: $0
      )
    },
  ]

  private static func signUp(
    displayName: String = "Anna",
    firstName: String = "",
    lastName: String = "",
    device: Auth_V1.Device? = nil
  ) -> Auth_V1.SignUpRequest {
    Auth_V1.SignUpRequest(
      email: "a@b.example",
      password: "password",
      displayName: displayName,
      firstName: firstName,
      lastName: lastName,
      device: device
    )
  }

  private static func address(
    _ address: Tenancy_V1.PropertyAddress
  ) -> Tenancy_V1.UpdatePropertyRequest {
    Tenancy_V1.UpdatePropertyRequest(propertyId: "p", address: address)
  }

  private func violations(_ request: any Message) -> [FieldViolation] {
    var violations: [FieldViolation] = []
    request.validate(path: "", into: &violations)
    return violations
  }

  @Test("A name is one line of visible text", arguments: names)
  func name_deceptive_isRefused(_ example: Case) {
    #expect(violations(example.request("Anna Müller")) == [])
    for (text, reason) in [
      ("Anna\0", "TEXT_CONTROL_CHARACTER"), ("An\nna", "TEXT_CONTROL_CHARACTER"),
      ("\u{202E}annA", "TEXT_BIDIRECTIONAL_CONTROL"), ("An\u{200B}na", "TEXT_INVISIBLE_CHARACTER"),
      ("  ", "TEXT_BLANK"),
    ] {
      let found = violations(example.request(text))
      #expect(found.map(\.field) == [example.field])
      #expect(found.map(\.reason) == [reason])
    }
  }

  @Test("A note is visible text of several lines", arguments: notes)
  func note_deceptive_isRefused(_ example: Case) {
    #expect(violations(example.request("one\n\ttwo")) == [])
    for (text, reason) in [
      ("one\0", "TEXT_CONTROL_CHARACTER"), ("\u{2066}one", "TEXT_BIDIRECTIONAL_CONTROL"),
    ] {
      let found = violations(example.request(text))
      #expect(found.map(\.field) == [example.field])
      #expect(found.map(\.reason) == [reason])
    }
  }

  @Test("The reason travels with the error")
  func reason_ofViolation_isInDetails() throws {
    let violation = FieldViolation(field: "name", description: "d", reason: "TEXT_BLANK")
    let plain = FieldViolation(field: "id", description: "e")
    let detail = RPCError.Detail.badRequest([violation, plain])
    let decoded = try Google_Rpc.BadRequest(protobuf: detail.value.span, limits: MessageLimits())
    #expect(decoded.fieldViolations.map(\.field) == ["name", "id"])
    #expect(decoded.fieldViolations.map(\.description) == ["d", "e"])
    #expect(decoded.fieldViolations.map(\.reason) == ["TEXT_BLANK", ""])
  }

  @Test("A list that is too long adds one violation, whatever is in it")
  func list_tooLong_isOneViolation() {
    let request = Tenancy_V1.ListActionsRequest(
      entityIds: [String](repeating: String(repeating: "x", count: 65), count: 1001)
    )
    #expect(
      violations(request) == [
        FieldViolation(field: "entity_ids", description: "must have at most 1000 items")
      ]
    )
  }
}
