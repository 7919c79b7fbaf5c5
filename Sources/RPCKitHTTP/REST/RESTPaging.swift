internal import RPCKit
internal import Reflection
internal import StrictJSON

/// Pages as clients of this interface know them: `page` and `limit` in the query, `pagination` in the answer.
///
/// They stand beside the tokens of the contract, which stay what they are.
struct RESTPaging: Sendable {
  /// `limit` means this field.
  let size: FieldSchema
  /// `page` is this field; nil for lists that know tokens only.
  let number: FieldSchema?
  /// Where the token of the next page is in the answer.
  private let nextToken: FieldSchema
  /// Where the number of all elements is in the answer, if it is.
  private let total: FieldSchema?
  /// Whether the answer has a field of this name, which goes in its place.
  private let hasOwn: Bool
  /// The field of the token in the request.
  private let token: FieldSchema?

  /// The name of the page size for clients that count pages.
  static let sizeKey = "limit"

  /// How many elements the lists of the contracts have on a page when nobody says, unless a contract says it.
  private static let sizeStandard = 50

  /// Nil when the response is no page of a list.
  init?(_ request: MessageSchema, _ response: MessageSchema) {
    guard let size = request.fields.first(where: { $0.name == "page_size" }),
      let nextToken = response.fields.first(where: { $0.name == "next_page_token" })
    else { return nil }
    self.size = size
    self.nextToken = nextToken
    number = request.fields.first { $0.name == "page" }
    token = request.fields.first { $0.name == "page_token" }
    total = response.fields.first { $0.name == "total_size" }
    hasOwn = response.fields.contains { $0.jsonName == "pagination" }
  }

  /// Adds `pagination` to an answer.
  func addPagination(to answer: inout JSONObject, request: JSONObject) {
    let total = total.flatMap { count(answer[$0.jsonName]) }
    let next = answer[nextToken.jsonName] ?? .string("")
    answer["pagination"] = .object(pagination(total: total, next: next, request))
  }

  /// The `pagination` of an encoded answer; nil for one that has to be looked at as JSON.
  func pagination(of protobuf: [UInt8], request: JSONObject) -> JSONObject? {
    let isPlain = total.map { $0.json == nil && ($0.kind == .int32 || $0.kind == .int64) } ?? true
    guard !hasOwn, isPlain else { return nil }
    var (items, next): (Int64?, JSONValue) = (total == nil ? nil : 0, .string(""))
    do throws(SchemaError) {
      var fields = WireFields(protobuf[...])
      while let (number, value) = try fields.next() {
        if let total, number == total.number { items = Int64(bitPattern: value.number ?? 0) }
        if number == nextToken.number { next = .string(try value.text()) }
      }
    } catch {
      return nil
    }
    return pagination(total: items.flatMap(Self.bounded), next: next, request)
  }

  private func pagination(total: Int64?, next: JSONValue, _ request: JSONObject) -> JSONObject {
    let hasToken = token.flatMap { request[$0.jsonName]?.string } ?? "" != ""
    let asked = count(request[self.size.jsonName]).flatMap { $0 == 0 ? nil : $0 }
    // A token alone goes on with pages of its own size, which only the service knows.
    let standard = size.rules.standard == 0 ? Self.sizeStandard : size.rules.standard
    let pageSize = asked ?? (hasToken ? nil : Int64(standard))
    var pagination = JSONObject()
    if let pageSize { pagination["pageSize"] = .number(JSONNumber(pageSize)) }
    // Behind a token nobody has counted the pages.
    if !hasToken {
      let page = number.flatMap { count(request[$0.jsonName]) } ?? 0
      pagination["currentPage"] = .number(JSONNumber(max(1, page)))
    }
    if let items = total {
      pagination["totalItems"] = .number(JSONNumber(items))
      if let pageSize {
        pagination["totalPages"] = .number(JSONNumber((items + pageSize - 1) / pageSize))
      }
    }
    pagination["nextPageToken"] = next
    return pagination
  }

  /// A number, as JSON has it or as text.
  private func count(_ value: JSONValue?) -> Int64? {
    (value?.integer ?? value?.string.flatMap { Int64($0) }).flatMap(Self.bounded)
  }

  /// Nil for a total near the end of its type, which would overflow when pages are counted.
  private static func bounded(_ count: Int64) -> Int64? {
    (0...(1 << 53)).contains(count) ? count : nil
  }
}
