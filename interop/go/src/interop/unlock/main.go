// Asks TenancyService whether the owner of a token may unlock a door, through containerd's ttrpc as it
// is: the program of the README.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/containerd/ttrpc"
)

type CheckRequest struct {
	Action   string `protobuf:"bytes,2,opt,name=action,proto3"`
	EntityId string `protobuf:"bytes,3,opt,name=entity_id,proto3"`
}

func (m *CheckRequest) Reset()         { *m = CheckRequest{} }
func (m *CheckRequest) String() string { return fmt.Sprintf("%+v", *m) }
func (*CheckRequest) ProtoMessage()    {}

type Decision struct {
	Allowed bool `protobuf:"varint,1,opt,name=allowed,proto3"`
}

func (m *Decision) Reset()         { *m = Decision{} }
func (m *Decision) String() string { return fmt.Sprintf("%+v", *m) }
func (*Decision) ProtoMessage()    {}

func main() {
	connection, err := net.Dial("tcp", "127.0.0.1:7402")
	if err != nil {
		log.Fatal(err)
	}
	client := ttrpc.NewClient(connection)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	ctx = ttrpc.WithMetadata(ctx, ttrpc.MD{"authorization": {"Bearer " + os.Getenv("TOKEN")}})
	request := &CheckRequest{Action: "device.unlock", EntityId: os.Args[1]}
	var decision Decision
	if err := client.Call(ctx, "tenancy.v1.Permissions", "Check", request, &decision); err != nil {
		log.Fatal(err)
	}
	fmt.Println(decision.Allowed)
}
