internal import RPCKit
internal import RPCKitHTTP

extension ServiceSettings.HTTP {
  /// Longest file of the viewer, in bytes; Swagger UI's have 1.6 million and 200,000.
  private static let viewerByteCountMax = 8 << 20

  /// The page on which people try the API and what it loads, read from the folder that `api_viewer` names;
  /// nothing without one.
  ///
  /// Exactly two files of the folder are read, and never again: what is put there later is not served.
  func apiViewerDocuments() throws(ConfigurationError) -> [HTTPDocument] {
    guard let apiViewer else { return [] }
    return APIViewer.documents(
      title: "Gatehouse API",
      script: try Self.read(APIViewer.scriptName, in: apiViewer),
      style: try Self.read(APIViewer.styleName, in: apiViewer)
    ) { Base64URL.encode(Digests.sha256($0)) }
  }

  private static func read(
    _ name: String,
    in folder: String
  ) throws(ConfigurationError) -> [UInt8] {
    do {
      return try FileBytes.read("\(folder)/\(name)", byteCountMax: viewerByteCountMax)
    } catch {
      throw ConfigurationError(
        "setting http.api_viewer: \(error); name a folder with \(APIViewer.scriptName) and "
          + "\(APIViewer.styleName) of Swagger UI 5, or leave the setting out"
      )
    }
  }
}
