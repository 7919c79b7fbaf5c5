import GatehouseKit
import SampleSupport

@main
enum FamilyApp {
  struct Entity: Encodable {
    var type: String
    var name: String
    var parentId: String?
  }

  struct NewEntity: Encodable { var entity: Entity }

  struct NewCode: Encodable { var deviceRole: String }

  struct Code: Decodable, Sendable { var code: String }

  struct Pin: Encodable { var pin: String }

  struct Nothing: Decodable, Sendable {}

  static func main() async {
    await Sample.run {
      let gatehouse = Sample.gatehouse("family")
      try await Sample.enter(gatehouse, email: "family@example.com", name: "Pia")
      let family = try await make(gatehouse, "family", "Lovelace", nil)
      _ = try await make(gatehouse, "child", "Mia", family)
      print(
        "role known:",
        await gatehouse.family.knownContext()?.pairing.deviceRole.rawValue ?? "none"
      )
      let code = try await gatehouse.call(
        Call(.post, "families/\(family)/pairing-codes", body: NewCode(deviceRole: "parent")),
        as: Code.self
      )
      let context = try await gatehouse.family.pair(code: code.code)
      print("role:", context?.pairing.deviceRole.rawValue ?? "none")
      for mode in context?.modes ?? [] { print(mode.mode, mode.allowed, mode.reason ?? "") }
      try await enterParentMode(gatehouse, family)
      if let pairing = context?.pairing { try await gatehouse.family.unpair(pairing) }
      print("after unpairing:", try await gatehouse.family.context()?.pairing.id ?? "none")
      try await gatehouse.account.signOut()
    }
  }

  static func enterParentMode(_ gatehouse: Gatehouse, _ family: String) async throws {
    _ = try await gatehouse.call(
      Call(.put, "auth/families/\(family)/pin", body: Pin(pin: "482915")),
      as: Nothing.self
    )
    do {
      _ = try await gatehouse.family.enterParentMode(family: family, pin: "111111")
    } catch let error as KitError where error.kind == .wrongCredentials {
      print(error.sentence())
    }
    let mode = try await gatehouse.family.enterParentMode(family: family, pin: "482915")
    _ = try await mode.call(Call(.get, "families/\(family)/overview"), as: Nothing.self)
    print("parent mode is open")
  }

  static func make(
    _ gatehouse: Gatehouse,
    _ type: String,
    _ name: String,
    _ parent: String?
  ) async throws -> String {
    let body = NewEntity(entity: Entity(type: type, name: name, parentId: parent))
    let call = try Call(.post, "entities", body: body).once()
    return try await gatehouse.call(call, as: Made.self).id
  }
}
