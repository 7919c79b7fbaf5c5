package main

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"interop/address"
	"interop/permissions"
)

// peer is a client of the server under test.
type peer struct {
	connection *grpc.ClientConn
	dialCount  int32
}

// withPeer connects, runs the case and closes.
func withPeer(target string, run func(*peer) (string, error)) (string, error) {
	p := &peer{}
	connection, err := grpc.Dial(
		"passthrough:///"+target,
		grpc.WithInsecure(),
		grpc.WithContextDialer(func(_ context.Context, _ string) (net.Conn, error) {
			atomic.AddInt32(&p.dialCount, 1)
			return address.Dial(target)
		}),
	)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	p.connection = connection
	return run(p)
}

// say calls test.Echo/Say and returns the reason of the answer.
func (p *peer) say(
	ctx context.Context, request *permissions.CheckRequest, options ...grpc.CallOption,
) (string, error) {
	var response permissions.CheckResponse
	err := p.connection.Invoke(ctx, "/test.Echo/Say", request, &response, options...)
	return response.Reason, err
}

// works makes a plain call: the connection is as usable as before.
func (p *peer) works() error {
	reason, err := p.say(context.Background(), &permissions.CheckRequest{Subject: "a"})
	return equal(reason, "a", err)
}

// stream opens a call in which both sides may send what they like.
func (p *peer) stream(
	ctx context.Context, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	description := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	return p.connection.NewStream(ctx, description, method, options...)
}

// reasons sends all requests, and returns the reasons of all answers.
func (p *peer) reasons(
	ctx context.Context, method string, requests []*permissions.CheckRequest,
) ([]string, error) {
	stream, err := p.stream(ctx, method)
	if err != nil {
		return nil, err
	}
	for _, request := range requests {
		// Why it fails, the answer says.
		if stream.SendMsg(request) != nil {
			break
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	var reasons []string
	for {
		var response permissions.CheckResponse
		if err := stream.RecvMsg(&response); err != nil {
			return reasons, endOf(err)
		}
		reasons = append(reasons, response.Reason)
	}
}

// equal is nil if what was found is what was wanted.
func equal(found, wanted interface{}, err error) error {
	if err != nil {
		return err
	}
	if text, other := fmt.Sprint(found), fmt.Sprint(wanted); text != other {
		return fmt.Errorf("%.200q is not %.200q", text, other)
	}
	return nil
}

// refused is nil if a call has ended with the code.
func refused(err error, code codes.Code) error {
	if found := status.Code(err); found != code {
		return fmt.Errorf("the call ended with %v and not with %v: %v", found, code, err)
	}
	return nil
}

// first is the first error.
func first(errs ...error) (string, error) {
	for _, err := range errs {
		if err != nil {
			return "", err
		}
	}
	return "", nil
}
