/// Anyone who uses ServiceKit reads and writes settings, tokens, catalogues and instants in the same way, and
/// names one module for it.
@_exported public import Reflection
@_exported public import StrictJSON
