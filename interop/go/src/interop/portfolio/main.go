// Signs up, creates a portfolio and asks what is allowed, with generated messages: portfolio EMAIL PASSWORD.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	authv1 "gatehouse.example/contracts/auth/v1"
	tenancyv1 "gatehouse.example/contracts/tenancy/v1"
)

// carried lets ttrpc 1.1 take messages of google.golang.org/protobuf; 1.2 and later take them as they are.
type carried struct{ proto.Message }

func (m carried) Reset()                         { proto.Reset(m.Message) }
func (m carried) String() string                 { return fmt.Sprint(m.Message) }
func (m carried) ProtoMessage()                  {}
func (m carried) Marshal() ([]byte, error)       { return proto.Marshal(m.Message) }
func (m carried) Unmarshal(content []byte) error { return proto.Unmarshal(content, m.Message) }

func connect(address string) *ttrpc.Client {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	return ttrpc.NewClient(connection)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	auth, tenancy := connect("127.0.0.1:7401"), connect("127.0.0.1:7402")
	defer auth.Close()
	defer tenancy.Close()

	var session authv1.SignInResponse
	err := auth.Call(ctx, "auth.v1.Authentication", "SignUp", carried{&authv1.SignUpRequest{
		Email: os.Args[1], Password: os.Args[2], DisplayName: "Ada",
	}}, carried{&session})
	if err != nil {
		log.Fatal(err)
	}
	ctx = ttrpc.WithMetadata(ctx, ttrpc.MD{
		"authorization": {"Bearer " + session.Tokens.AccessToken},
	})

	var portfolio tenancyv1.Portfolio
	err = tenancy.Call(ctx, "tenancy.v1.Portfolios", "Create", carried{
		&tenancyv1.CreatePortfolioRequest{Name: "Harbour Homes"},
	}, carried{&portfolio})
	if err != nil {
		log.Fatal(err)
	}
	var decision tenancyv1.Decision
	err = tenancy.Call(ctx, "tenancy.v1.Permissions", "Check", carried{
		&tenancyv1.CheckRequest{Action: "portfolio.delete", EntityId: portfolio.Id},
	}, carried{&decision})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: the owner may delete it: %t, as %s\n", portfolio.Name, decision.Allowed, decision.Role)

	err = tenancy.Call(ctx, "tenancy.v1.Portfolios", "Get", carried{
		&tenancyv1.GetPortfolioRequest{PortfolioId: "prt_unknown"},
	}, carried{&portfolio})
	refusal := status.Convert(err)
	fmt.Printf("refused: %s (code %d)\n", refusal.Message(), refusal.Code())
}
