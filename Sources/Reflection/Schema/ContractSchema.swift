// The types of fields and methods, which are in the API of the registry: their importers get them too.
@_exported public import ProtoSchema
