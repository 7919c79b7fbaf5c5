import AllContracts
import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// Every method of the three contracts, called with signed tokens by everyone who could want to.
@Suite("The authorization matrix")
struct MatrixTests {
  private static let schemas = SchemaRegistry.gatehouse.services
    .filter { service in ["auth", "tenancy", "entitlement"].contains(service.package) }
    .flatMap(\.methods)

  @Test("Every method of every contract has a row, and no row is left over")
  func rows_coverEveryMethod() throws {
    let methods = Set(Self.schemas.map(\.path))
    let rows = Set(MatrixTable.rows.map(\.method))
    #expect(methods.subtracting(rows).sorted() == [], "methods without a row")
    #expect(rows.subtracting(methods).sorted() == [], "rows without a method")
    #expect(Set(Mixture.all.map(\.method)).isSubset(of: methods))
  }

  @Test("Each role may do exactly what it may; foreign, deleted and unknown objects answer alike")
  func users_mayWhatRowsSay() async throws { try await checkUsers(MatrixTable.rows, over: .frames) }

  @Test("Each role may do by REST exactly what it may do over frames")
  func users_mayTheSameByREST() async throws {
    #expect(try RESTPaths.described.get().count >= 100)
    // All rows, because some prepare others; what is not served has no paths either.
    try await checkUsers(MatrixTable.rows.filter { $0.object != .unserved }, over: .rest)
  }

  private func checkUsers(_ rows: [MatrixRow], over wire: MatrixStage.Wire) async throws {
    try await MatrixStage.run(over: wire) { stage in
      var cellCount = 0
      for row in rows {
        for role in MatrixRole.allCases {
          try await check(row, role, stage)
          cellCount += row.object.isOwned ? 4 : 1
        }
      }
      print("figures: \(cellCount) cells of the authorization matrix for users over \(wire)")
      // Nothing of all that has touched the other house.
      let passes = try await stage.product.guests.list(
        .init(),
        options: try await stage.product.call(try #require(stage.neighbour(.tenant)))
      ).passes
      #expect(passes.map(\.id) == [stage.other.ids["pass"]])
    }
  }

  private func check(_ row: MatrixRow, _ role: MatrixRole, _ stage: MatrixStage) async throws {
    let (caller, cell) = (stage.person(role), "\(row.method) \(row.request) by \(role)")
    let own = try await stage.outcome(row, by: caller, on: stage.home)
    if row.object == .service {
      #expect(own.reason == "CALLER_NOT_ALLOWED", "\(cell): \(own)")
      return
    }
    if row.object == .unserved {
      #expect(own.code == .unimplemented, "\(cell): \(own)")
      return
    }
    if role != .superAdmin {
      for (name, id) in stage.other.ids {
        #expect(!own.text.contains(id), "\(cell) shows the other house's \(name)")
      }
    }
    let isAllowed = own.code == nil && row.yes.map { own.text.contains($0) } ?? true
    #expect(isAllowed == row.allowed.contains(role), "\(cell), own: \(own)")
    let isKnown = row.object.knowing.contains(role) || row.allowed.contains(role)
    if !isAllowed, isKnown, row.yes == nil {
      #expect(own.code == .permissionDenied, "\(cell), own: \(own)")
    }
    guard row.object.isOwned else {
      if !isKnown { #expect(own.code == .notFound, "\(cell), not to be known: \(own)") }
      return
    }
    let missing = try await stage.outcome(row, by: caller, onForeign: .unknown)
    if row.tellsOperators, role == .superAdmin {
      #expect(missing.code == nil, "\(cell), unknown: \(missing)")
    } else if row.yes == nil {
      let isTold = role == .suspended && missing.reason == "SUBJECT_SUSPENDED"
      #expect(missing.code == .notFound || isTold, "\(cell), unknown: \(missing)")
    }
    #expect(row.yes.map { missing.text.contains($0) } != true, "\(cell), unknown: \(missing)")
    let gone = try await stage.outcome(row, by: caller, onForeign: stage.deleted)
    #expect(gone == missing, "\(cell), deleted")
    if !isKnown { #expect(own.nameless(stage.home) == missing, "\(cell), own, not to be known") }
    // Operators may know of every house, and of nobody's sessions.
    guard role != .superAdmin || row.object == .self_ else { return }
    let foreign = try await stage.outcome(row, by: caller, onForeign: stage.other)
    #expect(foreign == missing, "\(cell), foreign")
  }

  @Test("Services may what the contract says, and who proves nothing may what is public")
  func othersThanUsers_mayWhatContractsSay() async throws {
    try await MatrixStage.run { stage in
      for row in MatrixTable.rows where row.object != .unserved {
        let schema = try MatrixStage.schema(row.method)
        let isPublic = try schema.callerClass == .public
        for service in ["auth", "tenancy", "entitlement", "billing"] {
          let options = stage.product.options(of: service, to: schema.audience)
          let outcome = try await self.outcome(row, options, stage)
          let mayCall =
            isPublic || schema.callingServices.contains(service)
            || schema.callingServices.contains("*")
          #expect(
            mayCall == ![.permissionDenied, .unauthenticated].contains(outcome.code),
            "\(row.method) by service \(service): \(outcome)"
          )
          if !mayCall { #expect(outcome.reason == "CALLER_NOT_ALLOWED", "\(row.method)") }
        }
        for (name, options) in try await Self.unproven(schema.audience, stage) {
          let outcome = try await self.outcome(row, options, stage)
          let cell = "\(row.method) with \(name): \(outcome)"
          // What is public is refused for its rules first, whoever sends it.
          if isPublic, outcome.reason == "FIELD_VIOLATIONS" { continue }
          // Who refreshes an expired token may still be showing it; a wrong service token is never
          // shown by accident.
          if isPublic, options.metadata["service-authorization"] == nil {
            #expect(outcome.reason != "CREDENTIALS_INVALID", "\(cell)")
          } else {
            #expect(outcome.reason == "CREDENTIALS_INVALID", "\(cell)")
            #expect(outcome.code == .unauthenticated, "\(cell)")
          }
        }
      }
    }
  }

  private func outcome(
    _ row: MatrixRow,
    _ options: CallOptions,
    _ stage: MatrixStage
  ) async throws -> MatrixStage.Outcome {
    // Fresh passes and sessions that nobody uses cost time, and who asks has none of its own.
    let request = try await stage.request(
      row.request.replacing("<fresh pass>", with: "<pass>"),
      by: stage.house.owner,
      on: stage.home
    )
    return try await stage.call(row.method, request, options)
  }

  /// Calls that prove nothing, by what is wrong with them.
  private static func unproven(
    _ audience: String,
    _ stage: MatrixStage
  ) async throws -> [(String, CallOptions)] {
    let product = stage.product
    let token = try #require(
      try await product.call(stage.house.owner).metadata["authorization"]
    ).dropFirst(7)
    let other = audience == "auth" ? "tenancy" : "auth"
    let elsewhere = try #require(
      product.options(of: "entitlement", to: other).metadata["service-authorization"]
    ).dropFirst(7)
    let parts = token.split(separator: ".")
    var signature = try #require(Base64URL.decode(String(parts[2])))
    signature[20] ^= 1
    let forged = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
    return [
      ("nothing", CallOptions(timeout: .seconds(20))),
      ("a changed signature", Product.options("authorization", forged)),
      ("a service's token as a user's", Product.options("authorization", String(elsewhere))),
      ("a user's token as a service's", Product.options("service-authorization", String(token))),
      (
        "a token for another service",
        Product.options("service-authorization", String(elsewhere))
      ),
    ]
  }

  @Test("Beside what is known, foreign, deleted and unknown objects answer alike")
  func mixtures_answerAlike() async throws {
    try await MatrixStage.run { stage in
      for mixture in Mixture.all {
        for role in MatrixRole.allCases {
          let caller = stage.person(role)
          var outcomes: [MatrixStage.Outcome] = []
          for their in [MatrixObjects.unknown, stage.deleted, stage.other] {
            let request = try await stage.request(
              mixture.request,
              by: caller,
              on: stage.home,
              their: their
            )
            let options = try await stage.product.call(caller)
            outcomes.append(
              try await stage.call(mixture.method, request, options).nameless(their)
            )
          }
          let cell = "\(mixture.method) \(mixture.request) by \(role)"
          #expect(outcomes[1] == outcomes[0], "\(cell), deleted")
          guard role != .superAdmin else { continue }
          #expect(outcomes[2] == outcomes[0], "\(cell), foreign")
        }
      }
    }
  }
}

extension ServiceSchema {
  /// Of `tenancy.v1.Portfolios`, `tenancy`.
  fileprivate var package: String { String(fullName.prefix { $0 != "." }) }
}

extension MethodSchema {
  /// Which service has it: `tenancy`.
  fileprivate var audience: String { String(service.prefix { $0 != "." }) }
}
