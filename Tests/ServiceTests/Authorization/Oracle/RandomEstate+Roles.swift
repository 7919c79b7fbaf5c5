import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

extension RandomEstate {
  mutating func addAdmin() async throws {
    guard let portfolio = pick(ids("portfolio")), let person = pick(people) else { return }
    let role = Bool.random(using: &generator) ? "owner" : "portfolio_admin"
    _ = try await product.portfolios.addAdmin(
      .init(portfolioId: portfolio, userId: person.id, role: role),
      options: try await asAdministrator
    )
    hold(role, person.id, portfolio)
  }

  mutating func removeAdmin() async throws {
    let roles = ["owner", "portfolio_admin"]
    guard let held = pick(naive.associations.filter { roles.contains($0.role) }) else { return }
    let owners = Set(
      naive.associations.filter { $0.entity == held.entity && $0.role == "owner" }.map(\.user)
    )
    let request = Tenancy_V1.RemovePortfolioAdminRequest(
      portfolioId: held.entity,
      userId: held.user
    )
    let options = try await asAdministrator
    // Whoever is suspended cannot take over.
    let others = owners.subtracting(naive.suspended).subtracting([held.user])
    guard !owners.contains(held.user) || !others.isEmpty else {
      await #expect(throws: RPCError.self, "the last owner was removed") {
        try await product.portfolios.removeAdmin(request, options: options)
      }
      return
    }
    _ = try await product.portfolios.removeAdmin(request, options: options)
    drop(roles, held.user, held.entity)
    limitLending(by: held.user)
  }

  mutating func addManager() async throws {
    guard let property = pick(ids("property")), let person = pick(people) else { return }
    _ = try await product.properties.addManager(
      .init(propertyId: property, userId: person.id),
      options: try await asAdministrator
    )
    hold("property_manager", person.id, property)
  }

  mutating func removeManager() async throws {
    let managers = naive.associations.filter { $0.role == "property_manager" }
    guard let held = pick(managers) else { return }
    _ = try await product.properties.removeManager(
      .init(propertyId: held.entity, userId: held.user),
      options: try await asAdministrator
    )
    drop(["property_manager"], held.user, held.entity)
    limitLending(by: held.user)
  }

  /// A window that begins or ends soon; edges must be met while the test runs.
  mutating func window() -> (from: Int64, until: Int64) {
    let now = product.clock.now
    let from = now + Int64.random(in: -20...20, using: &generator) * 3_000
    return (from, max(from, now) + Int64.random(in: 1...20, using: &generator) * 3_000)
  }

  mutating func addTenant() async throws {
    guard let unit = pick(ids("unit")), let person = pick(people) else { return }
    let window = Int.random(in: 0..<3, using: &generator) == 0 ? window() : nil
    _ = try await product.units.addTenant(
      .init(
        unitId: unit,
        userId: person.id,
        validFrom: window.map { .init(milliseconds: $0.from) },
        validUntil: window.map { .init(milliseconds: $0.until) },
        replaceWindow: true
      ),
      options: try await asAdministrator
    )
    hold("tenant", person.id, unit, from: window?.from, until: window?.until)
    limitLending(by: person.id)
  }

  mutating func removeTenant() async throws {
    guard let held = pick(naive.associations.filter { $0.role == "tenant" }) else { return }
    _ = try await product.units.removeTenant(
      .init(unitId: held.entity, userId: held.user),
      options: try await asAdministrator
    )
    drop(["tenant"], held.user, held.entity)
    limitLending(by: held.user)
  }

  mutating func lend() async throws {
    guard let device = pick(ids("device")), let person = pick(people) else { return }
    let now = product.clock.now
    let lenders = people.filter { [naive] in
      naive.decide($0.id, Self.lending, device, stepUps: ["pwd"], features: [], now: now).reason
        == "ALLOWED"
    }
    let granter = pick(lenders) ?? administrator
    let window = window()
    let request = Tenancy_V1.GrantGuestPassRequest(
      userId: person.id,
      deviceIds: [device],
      validFrom: .init(milliseconds: window.from),
      validUntil: .init(milliseconds: window.until)
    )
    do {
      let options = try await product.call(granter)
      let response = try await product.guests.grant(request, options: options)
      let pass = try #require(response.passes.first)
      // By chance the same was lent before.
      guard !naive.associations.contains(where: { $0.id == pass.id }) else { return }
      granters[pass.id] = granter.id
      naive.associations.append(
        .init(
          id: pass.id,
          user: person.id,
          role: "guest",
          entity: device,
          from: window.from,
          until: window.until
        )
      )
    } catch let error as RPCError where error.code == .failedPrecondition {
      // The lender has a role for a shorter time itself.
      let ends = naive.associations.filter { $0.user == granter.id }.compactMap(\.until)
      #expect(ends.contains { $0 < window.until }, "\(error)")
    }
  }

  private static let lending = "device.grant_guest"

  /// A pass of the administrator that counts at certain hours.
  mutating func lendAtHours() async throws {
    guard let device = pick(ids("device")), let person = pick(people) else { return }
    let (window, hours) = (window(), hours())
    let pass = try await product.roles.grant(
      .init(
        role: .init(
          entityId: device,
          role: "guest",
          userId: person.id,
          validFrom: .init(milliseconds: window.from),
          validUntil: .init(milliseconds: window.until + 600_000),
          recurring: hours
        )
      ),
      options: try await asAdministrator
    )
    // By chance the same was lent before.
    guard !naive.associations.contains(where: { $0.id == pass.id }) else { return }
    granters[pass.id] = administrator.id
    naive.associations.append(
      .init(
        id: pass.id,
        user: person.id,
        role: "guest",
        entity: device,
        from: window.from,
        until: window.until + 600_000,
        recurring: Self.daily(hours)
      )
    )
  }

  /// A few minutes around now, on some days, where the clocks of the zone are never changed.
  mutating func hours() -> Tenancy_V1.RecurringWindow {
    let (zone, offset) =
      pick([("UTC", 0), ("Asia/Kolkata", 330), ("Asia/Tokyo", 540)]) ?? ("UTC", 0)
    let minute = Int(product.clock.now / 60_000 % 1440) + 1440 + offset
    let from = minute + Int.random(in: -3...2, using: &generator)
    let until = from + Int.random(in: 1...5, using: &generator)
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    let dayCount = Int.random(in: 0...6, using: &generator)
    return .init(
      days: Bool.random(using: &generator)
        ? [] : Array(days.shuffled(using: &generator)[...dayCount]),
      from: Self.timeOfDay(from),
      until: Self.timeOfDay(until),
      timeZone: zone
    )
  }

  /// As a `daily` condition has it.
  static func daily(_ hours: Tenancy_V1.RecurringWindow) -> [String: Any] {
    var recurring: [String: Any] = [
      "from": hours.from, "until": hours.until, "time_zone": hours.timeZone,
    ]
    if !hours.days.isEmpty { recurring["days"] = hours.days }
    return recurring
  }

  private static func timeOfDay(_ minute: Int) -> String {
    let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(digits(minute / 60 % 24)):\(digits(minute % 60))"
  }

  /// Another end, or also another beginning, by which the administrator may become the lender.
  mutating func changePass() async throws {
    let now = product.clock.now
    let passes = naive.associations.filter { $0.role == "guest" && ($0.until ?? .max) > now }
    guard let pass = pick(passes),
      let place = naive.associations.firstIndex(where: { $0.id == pass.id })
    else { return }
    let window = window()
    _ = try await product.guests.update(
      .init(
        passId: pass.id,
        validFrom: .init(milliseconds: window.from),
        validUntil: .init(milliseconds: window.until)
      ),
      options: try await asAdministrator
    )
    naive.associations[place].from = window.from
    naive.associations[place].until = window.until
    if window.from < pass.from ?? .min || window.until > pass.until ?? .max {
      granters[pass.id] = administrator.id
    }
  }

  /// What somebody has lent is cut to the longest part that one of its rights allows.
  private mutating func limitLending(by lender: String) {
    let now = product.clock.now
    for pass in naive.associations where pass.role == "guest" && granters[pass.id] == lender {
      let rights = naive.associations.filter { right in
        right.user == lender && right.role != "guest" && isWithin(pass.entity, right.entity)
      }
      var best: (from: Int64, until: Int64)?
      for right in rights {
        var (from, until) = (pass.from ?? .min, min(pass.until ?? .max, right.until ?? .max))
        if let start = right.from, start > now { from = max(from, start) }
        guard until > from, until > now else { continue }
        if let best, best.until > until || best.until == until && best.from <= from { continue }
        best = (from, until)
      }
      let isOver = (pass.until ?? .max) <= now && !rights.isEmpty
      guard !isOver, let place = naive.associations.firstIndex(where: { $0.id == pass.id }) else {
        continue
      }
      if let best {
        naive.associations[place].from = best.from
        naive.associations[place].until = best.until
      } else {
        naive.associations.remove(at: place)
      }
    }
  }

  /// Mostly of passes that are over, or they would become too many.
  mutating func takeBack() async throws {
    let passes = naive.associations.filter { $0.role == "guest" }
    let over = passes.filter { ($0.until ?? .max) <= product.clock.now }
    guard let pass = pick(over.count > 20 ? over : passes) else { return }
    _ = try await product.guests.revoke(.init(passId: pass.id), options: try await asAdministrator)
    naive.associations.removeAll { $0.id == pass.id }
  }

  /// Few at a time, or their denials would hide all others.
  mutating func suspendOrResume() async throws {
    let options = try await asAdministrator
    if let user = pick(naive.suspended.sorted()), Bool.random(using: &generator) || isCrowded {
      _ = try await product.subjects.resume(.init(userId: user), options: options)
      naive.suspended.remove(user)
    } else if let person = pick(people) {
      _ = try await product.subjects.suspend(.init(userId: person.id), options: options)
      naive.suspended.insert(person.id)
    }
  }

  private var isCrowded: Bool { naive.suspended.count >= 3 }
}
