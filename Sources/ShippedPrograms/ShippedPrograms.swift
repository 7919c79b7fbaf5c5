// Empty: what this target depends on is what an installation has. SwiftPM builds one product at a time, or a target
// with all that it depends on, executables included: `swift build --target ShippedPrograms` links the four programs
// and compiles what they do not share side by side (scripts/helpers/build-services).
