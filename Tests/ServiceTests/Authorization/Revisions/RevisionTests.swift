import AllContracts
import AuthContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import Reflection
import ServiceKit
import Testing

@testable import ServiceTesting

/// Every object that is read and updated: what an update sets is under its revision, and what was read can be put
/// back.
@Suite("Revisions of everything that is updated")
struct RevisionTests {
  @Test(
    "Each field of an answer is in the table, as the contracts have it",
    arguments: RevisedResource.all
  )
  func fields_areThoseOfTheContract(_ resource: RevisedResource) throws {
    let answer = try SchemaRegistry.gatehouse.message(resource.type)
    #expect(Set(answer.fields.map(\.jsonName)) == Set(resource.fields.keys))
    let methods = SchemaRegistry.gatehouse.services.flatMap(\.methods)
    let method = try #require(methods.first { "\($0.service)/\($0.name)" == resource.update })
    let request = try SchemaRegistry.gatehouse.message(method.requestType)
    let names = Set(request.fields.map(\.jsonName))
    #expect(
      names.intersection(answer.fields.map(\.jsonName)) == Set(resource.writable.map(\.name))
    )
    #expect(names.contains("expectedRevision"))
    #expect(names.contains("current") == resource.isPutBack)
    #expect(method.responseType == resource.type)
  }

  @Test(
    "Each change of each field moves revision and time; an old revision is refused on both wires"
  )
  func fields_changed_moveTheRevision() async throws {
    try await Product.run { product in
      var house = try await House(product, name: "home")
      try await house.invite(product)
      for resource in RevisedResource.all {
        for (field, values) in resource.writable {
          for (index, value) in values.enumerated() {
            let what = "\(resource.type).\(field) \(index)"
            let before = try await read(resource, house, product)
            product.clock.advance(1)
            let change: JSONObject = [
              field: value(house), "expectedRevision": before["revision"] ?? .null,
            ]
            let first = try await send("PUT", change, resource, house, product)
            #expect(first.status == 200, "\(what): \(first.text)")
            let after = try #require(first.json?.object?["data"]?.object, "\(what)")
            #expect(after["revision"] != before["revision"], "\(what)")
            #expect(after["updatedAt"] != before["updatedAt"], "\(what)")
            #expect(Self.includes(value(house), in: after[field]), "\(what): \(first.text)")
            #expect(try await read(resource, house, product) == after, "\(what)")
            let second = try await send("PUT", change, resource, house, product)
            #expect(second.status == 409, "\(what): \(second.text)")
            #expect(second.text.contains("REVISION_MISMATCH"), "\(what): \(second.text)")
            let connect = try await call(change, resource, house, product)
            #expect(connect.status == 409, "\(what): \(connect.text)")
            #expect(connect["code"] == "aborted", "\(what): \(connect.text)")
            #expect(try await read(resource, house, product) == after, "\(what)")
          }
        }
      }
    }
  }

  @Test("What was read is put back by both verbs and both wires, and nothing is changed")
  func objects_putBack_areKept() async throws {
    try await Product.run { product in
      let house = try await House(product, name: "home")
      for resource in RevisedResource.all where resource.isPutBack {
        let read = try await read(resource, house, product)
        product.clock.advance(1)
        for method in ["PUT", "PATCH"] {
          let kept = try await send(method, read, resource, house, product)
          #expect(kept.status == 200, "\(method) \(resource.type): \(kept.text)")
          #expect(kept.json?.object?["data"]?.object == read, "\(method) \(resource.type)")
        }
        var current = read
        for name in resource.spelledByREST { current[name] = nil }
        var whole: JSONObject = ["current": .object(current)]
        for (field, _) in resource.writable { whole[field] = read[field] }
        let kept = try await call(whole, resource, house, product)
        #expect(kept.status == 200, "\(resource.type): \(kept.text)")
        #expect(try await self.read(resource, house, product) == read, "\(resource.type)")
      }
    }
  }

  /// Whether a value is what was set: members that a client has not sent may stand beside those that it has.
  private static func includes(_ set: JSONValue, in shown: JSONValue?) -> Bool {
    guard let members = set.object?.members else { return set == shown }
    return members.allSatisfy { shown?.object?[$0.name] == $0.value }
  }

  private func read(
    _ resource: RevisedResource,
    _ house: House,
    _ product: Product
  ) async throws -> JSONObject {
    let list = resource.list?(house)
    let answer = try await product.http(to: resource.service).send(
      "GET",
      list.map { "/api/v1/\(resource.path)?\($0)" } ?? resource.target(house),
      try await product.call(resource.editor(house)).metadata.entries.map {
        (name: $0.key, value: $0.value)
      },
      nil
    )
    let data = answer.json?.object?["data"]
    guard list != nil, let id = resource.key?.id(house) else {
      return try #require(data?.object, "\(answer.text)")
    }
    let listed = data?.object?.members.lazy.compactMap(\.value.array).first
    let shown = listed?.first { $0.object?["id"]?.string == id }
    return try #require(shown?.object, "\(answer.text)")
  }

  private func send(
    _ method: String,
    _ body: JSONObject,
    _ resource: RevisedResource,
    _ house: House,
    _ product: Product
  ) async throws -> HTTPClient.Answer {
    try await product.send(
      method,
      to: resource.service,
      resource.target(house),
      JSONValue.object(body).text,
      by: product.call(resource.editor(house))
    )
  }

  /// The same by Connect.
  private func call(
    _ fields: JSONObject,
    _ resource: RevisedResource,
    _ house: House,
    _ product: Product
  ) async throws -> HTTPClient.Answer {
    var body = fields
    if let key = resource.key { body[key.name] = .string(key.id(house)) }
    return try await product.send(
      to: resource.service,
      "/\(resource.update)",
      JSONValue.object(body).text,
      by: product.call(resource.editor(house))
    )
  }
}
