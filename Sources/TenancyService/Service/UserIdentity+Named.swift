internal import AccessEngine
internal import RPCKit
internal import ServiceKit

extension UserIdentity {
  /// A user whom a change is about or in whose name it is made, and who does not call.
  ///
  /// Nobody's token: it only says who, and how that user had proved to be it.
  static func named(_ userID: String, _ assurance: Assurance = Assurance(text: "")) -> UserIdentity
  {
    UserIdentity(
      userID: userID,
      sessionID: "",
      token: BearerToken(""),
      acr: assurance.acr,
      authenticated: 0,
      tokenExpires: .max,
      purpose: assurance.purpose
    )
  }
}
