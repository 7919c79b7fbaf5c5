internal import AuthContracts
internal import PeerContracts

extension ProviderSignIn {
  init(_ request: Auth_V1.SignInWithAppleRequest) {
    self.init(
      provider: IdentityProvider.apple,
      token: request.identityToken,
      rawNonce: request.rawNonce,
      code: request.authorizationCode,
      profile: NewUserProfile(request.profile),
      device: DeviceDescription(request.device),
      deviceToken: request.deviceToken,
      allowsPartialContext: request.allowPartialContext,
      idempotencyKey: request.idempotencyKey
    )
  }

  init(_ request: Auth_V1.ProviderSignInRequest) {
    self.init(
      provider: request.provider,
      token: request.identityToken,
      rawNonce: request.rawNonce,
      profile: NewUserProfile(request.profile),
      device: DeviceDescription(request.device),
      deviceToken: request.deviceToken,
      allowsPartialContext: request.allowPartialContext,
      idempotencyKey: request.idempotencyKey
    )
  }
}

extension NewUserProfile {
  fileprivate init(_ profile: Auth_V1.NewUserProfile?) {
    self.init(
      displayName: profile?.displayName ?? "",
      firstName: profile?.firstName ?? "",
      lastName: profile?.lastName ?? "",
      language: profile?.language ?? ""
    )
  }
}
