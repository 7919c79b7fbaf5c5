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
  }

  /// Adds `pagination` to an answer.
  func addPagination(to answer: inout JSONObject, request: JSONObject) {
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
    if let total, let items = count(answer[total.jsonName]) {
      pagination["totalItems"] = .number(JSONNumber(items))
      if let pageSize {
        pagination["totalPages"] = .number(JSONNumber((items + pageSize - 1) / pageSize))
      }
    }
    pagination["nextPageToken"] = answer[nextToken.jsonName] ?? .string("")
    answer["pagination"] = .object(pagination)
  }

  /// A number, as JSON has it or as text.
  private func count(_ value: JSONValue?) -> Int64? {
    let count = value?.integer ?? value?.string.flatMap { Int64($0) }
    // A total near the end of its type would overflow when pages are counted.
    return count.flatMap { (0...(1 << 53)).contains($0) ? $0 : nil }
  }
}
