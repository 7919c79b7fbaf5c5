package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"interop/address"
	"interop/permissions"
)

// timeoutKey carries a timeout for the request envelope that the client itself does not enforce:
// only so can a case see that the server keeps it.
type timeoutKey struct{}

// peer is one connection to the server under test.
type peer struct {
	target string
	client *ttrpc.Client
}

// withPeer connects, runs the case and closes.
func withPeer(target string, run func(*peer) (string, error)) (string, error) {
	connection, err := address.Dial(target)
	if err != nil {
		return "", err
	}
	client := ttrpc.NewClient(connection, ttrpc.WithUnaryClientInterceptor(setTimeout))
	defer client.Close()
	return run(&peer{target: target, client: client})
}

func setTimeout(
	ctx context.Context, request *ttrpc.Request, response *ttrpc.Response,
	_ *ttrpc.UnaryClientInfo, invoke ttrpc.Invoker,
) error {
	if timeout, ok := ctx.Value(timeoutKey{}).(time.Duration); ok {
		request.TimeoutNano = int64(timeout)
	}
	return invoke(ctx, request, response)
}

// check calls Permissions/Check.
func (p *peer) check(ctx context.Context, request *permissions.CheckRequest) (*permissions.CheckResponse, error) {
	var response permissions.CheckResponse
	err := p.client.Call(ctx, permissions.ServiceName, permissions.MethodName, request, &response)
	if err != nil {
		return nil, err
	}
	return &response, nil
}

// allowed calls once and expects the plain positive answer: the connection works.
func (p *peer) allowed(ctx context.Context) error {
	response, err := p.check(ctx, &permissions.CheckRequest{
		Subject: "user-1", Action: "device.unlock", Entity: "door-7",
	})
	if err != nil {
		return err
	}
	if !response.Allowed || response.Reason != "ALLOWED" {
		return fmt.Errorf("answer is %v, not allowed", response)
	}
	return nil
}

// dial opens a bare connection to the same server, for cases that write frames themselves.
func (p *peer) dial() (net.Conn, error) {
	connection, err := address.Dial(p.target)
	if err != nil {
		return nil, err
	}
	return connection, connection.SetDeadline(time.Now().Add(10 * time.Second))
}

// expectCode checks that a call failed, and with which code.
func expectCode(err error, code codes.Code) (*status.Status, error) {
	if err == nil {
		return nil, fmt.Errorf("succeeded, expected %v", code)
	}
	result, ok := status.FromError(err)
	if !ok {
		return nil, fmt.Errorf("expected %v from the server, got the local error: %v", code, err)
	}
	if result.Code() != code {
		return nil, fmt.Errorf("expected %v, got %v: %s", code, result.Code(), result.Message())
	}
	return result, nil
}
