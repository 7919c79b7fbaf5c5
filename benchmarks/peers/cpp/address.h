// The address forms that every program here takes.
#pragma once

#include <string>

// "/path" and "unix:///path" become gRPC's "unix:/path"; "tcp://" is dropped.
inline std::string GRPCAddress(const std::string& text) {
    if (text.rfind("tcp://", 0) == 0) return text.substr(6);
    if (text.rfind("unix://", 0) == 0) return "unix:" + text.substr(7);
    if (!text.empty() && text[0] == '/') return "unix:" + text;
    return text;
}
