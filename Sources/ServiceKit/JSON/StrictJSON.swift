/// Whoever uses ServiceKit reads settings, tokens and catalogues by the same reader, and names one module
/// for it.
@_exported public import StrictJSON
