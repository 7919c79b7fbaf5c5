internal import TenancyContracts
internal import RPCKit
internal import RPCKitHTTP
internal import ServiceKit

/// As whom a request may go on.
struct GatewayIdentity: Hashable, Sendable {
  /// Empty for nobody.
  var userID = ""
  /// The role that allows the action; empty if none was asked for.
  var role = ""
  /// How the user proved who it is.
  var acr = ""
}

/// Answers to a gateway.
///
/// Made in one place, because of what Envoy does with an incomplete one: an answer without a status lets
/// everything pass, and a header that is not named is the client's own.
enum GatewayAnswer {
  /// Headers that servers behind the gateway may believe.
  static let user = "x-user-id"
  static let roles = "x-user-roles"
  static let acr = "x-user-acr"
  static let request = "x-request-id"
  /// Tells browsers that the content is of the type that it says and of no other.
  private static let contentTypeOptions = "x-content-type-options"

  /// Whether a request may go on, as whom, or why not.
  ///
  /// `path` and `headers` are those of the request; names of headers are in lower case.
  static func message(
    _ verdict: Result<GatewayIdentity, RPCError>,
    requestID: String,
    path: String,
    headers: [String: String]
  ) -> Envoy_Service_Auth_V3.CheckResponse {
    switch verdict {
    case .success(let identity):
      .init(
        status: .init(code: StatusCode.ok.rawValue),
        httpResponse: .okResponse(passed(identity, requestID: requestID, headers: headers.keys))
      )
    case .failure(let error):
      .init(
        // No error has this code; if one had, it would let the request pass.
        status: .init(code: error.code == .ok ? StatusCode.internal.rawValue : error.code.rawValue),
        httpResponse: .deniedResponse(
          denied(error, requestID: requestID, path: path, headers: headers)
        )
      )
    }
  }

  private static func passed(
    _ identity: GatewayIdentity,
    requestID: String,
    headers: some Sequence<String>
  ) -> Envoy_Service_Auth_V3.OkHttpResponse {
    var response = Envoy_Service_Auth_V3.OkHttpResponse()
    let values = [
      (user, identity.userID), (roles, identity.role), (acr, identity.acr), (request, requestID),
    ]
    for (name, value) in values {
      if value.isEmpty {
        response.headersToRemove.append(name)
      } else {
        response.headers.append(field(name, value))
      }
    }
    // To many servers `x_user_id` is the same header.
    let names = Set(values.map(\.0))
    for name in headers where !names.contains(name) && names.contains(folded(name)) {
      response.headersToRemove.append(name)
    }
    return response
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().replacing("_", with: "-")
  }

  /// A denial as the service that has the path would write it: for gRPC, for Connect, or as the envelope of REST.
  private static func denied(
    _ error: RPCError,
    requestID: String,
    path: String,
    headers: [String: String]
  ) -> Envoy_Service_Auth_V3.DeniedHttpResponse {
    let type = headers["content-type"]
    guard !GRPCErrorAnswer.isAsked(for: type) else {
      return deniedCall(error, requestID: requestID)
    }
    let hadCredentials = headers["authorization"] != nil
    let isOfConnect = isMethod(path) && type?.lowercased().hasPrefix("application/grpc") != true
    guard isOfConnect else {
      let answer = RESTErrorAnswer(error, hadCredentials: hadCredentials)
      return denied(answer.status, answer.fields, answer.text, requestID: requestID)
    }
    let answer = ConnectErrorAnswer(
      told(error, requestID: requestID),
      hadCredentials: hadCredentials
    )
    return denied(answer.status, answer.fields, answer.text, requestID: requestID)
  }

  private static func denied(
    _ status: Int,
    _ fields: HTTPFields,
    _ text: String,
    requestID: String
  ) -> Envoy_Service_Auth_V3.DeniedHttpResponse {
    .init(
      status: self.status(status),
      headers: fields.fields.map { field($0.name, $0.value) }
        + [field(contentTypeOptions, "nosniff"), field(request, requestID)],
      body: text
    )
  }

  /// Whether a path is that of a method of a contract: `/tenancy.v1.Portfolios/List`.
  private static func isMethod(_ path: String) -> Bool {
    let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty else { return false }
    let names = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return names.count > 1 && names.allSatisfy { $0.first?.isLetter == true }
      && names.last?.first?.isUppercase == true && parts[2].first?.isUppercase == true
  }

  /// An error with what the request is called in logs.
  private static func told(_ error: RPCError, requestID: String) -> RPCError {
    var error = error
    error.details.append(RPCError.Detail(Google_Rpc.RequestInfo(requestId: requestID)))
    return error
  }

  /// A denial for a client of gRPC, which Envoy answers with a status of HTTP that is always 200, the fields here,
  /// and the content as `grpc-message`.
  private static func deniedCall(
    _ error: RPCError,
    requestID: String
  ) -> Envoy_Service_Auth_V3.DeniedHttpResponse {
    let answer = GRPCErrorAnswer(told(error, requestID: requestID))
    return .init(
      status: status(RESTErrorAnswer(error).status),
      headers: answer.fields.fields.map { field($0.name, $0.value) } + [field(request, requestID)],
      body: answer.message
    )
  }

  /// A denial must not look like a success.
  private static func status(_ code: Int) -> Envoy_Type_V3.HttpStatus {
    .init(code: .init(rawValue: code < 400 ? 500 : Int32(code)))
  }

  private static func field(
    _ name: String,
    _ value: String
  ) -> Envoy_Config_Core_V3.HeaderValueOption {
    .init(header: .init(key: name, value: value), appendAction: .overwriteIfExistsOrAdd)
  }
}

/// The outcome of a request that a gateway asked about.
enum GatewayOutcome: String, CaseIterable, Sendable {
  case passed
  case denied
  case undecided

  init(_ verdict: Result<GatewayIdentity, RPCError>) {
    switch verdict {
    case .success: self = .passed
    case .failure(let error): self = error.code == .unavailable ? .undecided : .denied
    }
  }
}
