// Package permissions holds the benchmark.v1.Permissions contract for Go programs that must build
// without a code generator: two messages written by hand, and the special requests that the
// interoperability cases use.
package permissions

import "fmt"

// ServiceName and MethodName address the one method of the contract.
const (
	ServiceName = "benchmark.v1.Permissions"
	MethodName  = "Check"
)

// CheckRequest asks whether a subject may do something to an entity.
type CheckRequest struct {
	Subject string `protobuf:"bytes,1,opt,name=subject,proto3"`
	Action  string `protobuf:"bytes,2,opt,name=action,proto3"`
	Entity  string `protobuf:"bytes,3,opt,name=entity,proto3"`
	Context string `protobuf:"bytes,4,opt,name=context,proto3"`
}

// Reset, String and ProtoMessage make the struct a message for the protobuf runtime.
func (m *CheckRequest) Reset()         { *m = CheckRequest{} }
func (m *CheckRequest) String() string { return fmt.Sprintf("%+v", *m) }
func (*CheckRequest) ProtoMessage()    {}

// CheckResponse is the answer.
type CheckResponse struct {
	Allowed bool   `protobuf:"varint,1,opt,name=allowed,proto3"`
	Reason  string `protobuf:"bytes,2,opt,name=reason,proto3"`
}

// Reset, String and ProtoMessage make the struct a message for the protobuf runtime.
func (m *CheckResponse) Reset()         { *m = CheckResponse{} }
func (m *CheckResponse) String() string { return fmt.Sprintf("%+v", *m) }
func (*CheckResponse) ProtoMessage()    {}
