package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/containerd/ttrpc"
	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc/codes"

	"interop/permissions"
)

// interopCase is one behaviour that a stock client relies on.
type interopCase struct {
	name    string
	summary string
	run     func(*peer) (detail string, err error)
}

var cases = []interopCase{
	{"unary", "one call and its answer", unary},
	{"empty-request", "a request of zero bytes is a request", emptyRequest},
	{"unicode", "text of several scripts survives both ways", unicode},
	{"concurrent", "1,000 calls at once over one connection, each with its own answer", concurrent},
	{"out-of-order", "a slow call does not hold up a later quick one", outOfOrder},
	{"metadata", "the handler sees what the client sent", metadata},
	{"metadata-repeated", "of a repeated key the handler sees the first value", metadataRepeated},
	{"timeout", "a call past its timeout ends with DeadlineExceeded, said by the server", timeout},
	{"timeout-expired", "a negative timeout has already expired", timeoutExpired},
	{"timeout-enough", "a timeout that is long enough changes nothing", timeoutEnough},
	{"client-gives-up", "a call abandoned by the client leaves the connection usable", clientGivesUp},
	{"error-status", "code and message of a failure arrive unchanged", errorStatus},
	{"error-unknown-code", "a code that no standard defines arrives unchanged", errorUnknownCode},
	{"error-details", "the details of a failure arrive unchanged", errorDetails},
	{"unknown-method", "an unknown method is Unimplemented", unknownMethod},
	{"unknown-service", "an unknown service is Unimplemented", unknownService},
	{"large-request", "a request just under 4 MiB is served", largeRequest},
	{"large-reply", "a reply just under 4 MiB is delivered", largeReply},
	{"oversize-request", "a request over 4 MiB is refused and the connection lives", oversizeRequest},
	{"frame-drip", "a request that arrives byte by byte is served", frameDrip},
	{"frame-unknown-type", "a frame of an unknown type is ignored", frameUnknownType},
	{"frame-even-stream", "a request on an even stream id is InvalidArgument", frameEvenStream},
	{"frame-garbage-request", "a request that is no protobuf is InvalidArgument", frameGarbageRequest},
	{"locked-16x1MB", "16 calls of 1 MB each way at once, as client 1.2.3 makes them", locked(16, 1_000_000)},
	{"locked-64x64KiB", "64 calls of 64 KiB each way at once, as client 1.2.3 makes them", locked(64, 64<<10)},
	{"churn", "200 connections, one call each", churn},
}

func unary(p *peer) (string, error) {
	return "", p.allowed(context.Background())
}

func emptyRequest(p *peer) (string, error) {
	response, err := p.check(context.Background(), &permissions.CheckRequest{})
	if err != nil {
		return "", err
	}
	if response.Allowed {
		return "", fmt.Errorf("nobody was allowed: %v", response)
	}
	return "", nil
}

func unicode(p *peer) (string, error) {
	text := "Stall 7 – Łódź, 東京, 🐎"
	_, err := p.check(context.Background(), &permissions.CheckRequest{Context: "fail:5:" + text})
	result, err := expectCode(err, codes.NotFound)
	if err != nil {
		return "", err
	}
	if result.Message() != text {
		return "", fmt.Errorf("message is %q", result.Message())
	}
	return "", nil
}

func concurrent(p *peer) (string, error) {
	const count = 1000
	failures := make(chan error, count)
	var group sync.WaitGroup
	for i := 0; i < count; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			key, value := "number", fmt.Sprint(i)
			ctx := ttrpc.WithMetadata(context.Background(), ttrpc.MD{key: {value}})
			response, err := p.check(ctx, &permissions.CheckRequest{Context: "echo-metadata:" + key})
			if err != nil {
				failures <- err
			} else if response.Reason != value {
				failures <- fmt.Errorf("call %d got the answer of call %s", i, response.Reason)
			}
		}(i)
	}
	group.Wait()
	close(failures)
	if err, any := <-failures; any {
		return "", fmt.Errorf("%d of %d calls failed, one with: %w", len(failures)+1, count, err)
	}
	return fmt.Sprintf("%d calls", count), nil
}

func outOfOrder(p *peer) (string, error) {
	slow := make(chan error, 1)
	started := time.Now()
	go func() {
		_, err := p.check(context.Background(), &permissions.CheckRequest{Subject: "user-1", Context: "sleep:400ms"})
		slow <- err
	}()
	// Wait until the slow call has certainly been sent: this call queues behind it on the wire.
	for i := 0; i < 50; i++ {
		if err := p.allowed(context.Background()); err != nil {
			return "", err
		}
	}
	quick := time.Since(started)
	if err := <-slow; err != nil {
		return "", err
	}
	if quick > 300*time.Millisecond {
		return "", fmt.Errorf("50 quick calls took %v beside a slow one", quick)
	}
	return "", nil
}

func metadata(p *peer) (string, error) {
	ctx := ttrpc.WithMetadata(context.Background(), ttrpc.MD{
		"tenant": {"family-9"}, "request-id": {"4f6b"},
	})
	response, err := p.check(ctx, &permissions.CheckRequest{Context: "echo-metadata:tenant"})
	if err != nil {
		return "", err
	}
	if response.Reason != "family-9" {
		return "", fmt.Errorf("the handler saw %q", response.Reason)
	}
	return "", nil
}

func metadataRepeated(p *peer) (string, error) {
	ctx := ttrpc.WithMetadata(context.Background(), ttrpc.MD{"tenant": {"first", "second"}})
	response, err := p.check(ctx, &permissions.CheckRequest{Context: "echo-metadata:tenant"})
	if err != nil {
		return "", err
	}
	if response.Reason != "first" {
		return "", fmt.Errorf("the handler saw %q", response.Reason)
	}
	return "", nil
}

func timeout(p *peer) (string, error) {
	return expectDeadlineExceeded(p, 10*time.Millisecond)
}

func timeoutExpired(p *peer) (string, error) {
	return expectDeadlineExceeded(p, -time.Second)
}

func expectDeadlineExceeded(p *peer, limit time.Duration) (string, error) {
	ctx := context.WithValue(context.Background(), timeoutKey{}, limit)
	started := time.Now()
	_, err := p.check(ctx, &permissions.CheckRequest{Subject: "user-1", Context: "sleep:2s"})
	if _, err := expectCode(err, codes.DeadlineExceeded); err != nil {
		return "", err
	}
	took := time.Since(started)
	if took > time.Second {
		return "", fmt.Errorf("the answer took %v", took)
	}
	return fmt.Sprintf("after %v", took.Round(time.Millisecond)), p.allowed(context.Background())
}

func timeoutEnough(p *peer) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := p.check(ctx, &permissions.CheckRequest{Subject: "user-1", Context: "sleep:50ms"})
	return "", err
}

func clientGivesUp(p *peer) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := p.check(ctx, &permissions.CheckRequest{Subject: "user-1", Context: "sleep:50ms"})
	if err == nil {
		return "", fmt.Errorf("a call of 50 ms succeeded within 10 ms")
	}
	return "", p.allowed(context.Background())
}

func errorStatus(p *peer) (string, error) {
	_, err := p.check(context.Background(), &permissions.CheckRequest{Context: "fail:5:some message"})
	result, err := expectCode(err, codes.NotFound)
	if err != nil {
		return "", err
	}
	if result.Message() != "some message" {
		return "", fmt.Errorf("message is %q", result.Message())
	}
	return "", nil
}

func errorUnknownCode(p *peer) (string, error) {
	_, err := p.check(context.Background(), &permissions.CheckRequest{Context: "fail:1234:odd"})
	_, err = expectCode(err, codes.Code(1234))
	return "", err
}

func errorDetails(p *peer) (string, error) {
	_, err := p.check(context.Background(), &permissions.CheckRequest{Context: "fail-details:9:not yet"})
	result, err := expectCode(err, codes.FailedPrecondition)
	if err != nil {
		return "", err
	}
	details := result.Proto().GetDetails()
	if len(details) != 1 {
		return "", fmt.Errorf("%d details, expected 1", len(details))
	}
	if url := details[0].TypeUrl; url != "type.googleapis.com/benchmark.v1.CheckResponse" {
		return "", fmt.Errorf("the detail is of type %q", url)
	}
	var detail permissions.CheckResponse
	if err := proto.Unmarshal(details[0].Value, &detail); err != nil {
		return "", err
	}
	if detail.Reason != "not yet" {
		return "", fmt.Errorf("the detail says %q", detail.Reason)
	}
	return "", nil
}

func unknownMethod(p *peer) (string, error) {
	return expectUnimplemented(p, permissions.ServiceName, "Nope")
}

func unknownService(p *peer) (string, error) {
	return expectUnimplemented(p, "benchmark.v1.Nope", permissions.MethodName)
}

func expectUnimplemented(p *peer, service, method string) (string, error) {
	var response permissions.CheckResponse
	err := p.client.Call(context.Background(), service, method, &permissions.CheckRequest{Subject: "user-1"}, &response)
	result, err := expectCode(err, codes.Unimplemented)
	if err != nil {
		return "", err
	}
	return result.Message(), p.allowed(context.Background())
}

func largeRequest(p *peer) (string, error) {
	const count = 4<<20 - 200
	response, err := p.check(context.Background(), &permissions.CheckRequest{
		Subject: "user-1", Entity: strings.Repeat("e", count), Context: "request-length",
	})
	if err != nil {
		return "", err
	}
	if response.Reason != fmt.Sprint(count) {
		return "", fmt.Errorf("the handler saw %q bytes", response.Reason)
	}
	return "", nil
}

func largeReply(p *peer) (string, error) {
	const count = 4<<20 - 200
	response, err := p.check(context.Background(), &permissions.CheckRequest{Context: fmt.Sprintf("reply:%d", count)})
	if err != nil {
		return "", err
	}
	if len(response.Reason) != count || strings.Trim(response.Reason, "r") != "" {
		return "", fmt.Errorf("%d bytes arrived, or other ones", len(response.Reason))
	}
	return "", p.allowed(context.Background())
}

func oversizeRequest(p *peer) (string, error) {
	_, err := p.check(context.Background(), &permissions.CheckRequest{
		Subject: "user-1", Entity: strings.Repeat("e", 5<<20),
	})
	result, err := expectCode(err, codes.ResourceExhausted)
	if err != nil {
		return "", err
	}
	return result.Message(), p.allowed(context.Background())
}

func churn(p *peer) (string, error) {
	for i := 0; i < 200; i++ {
		_, err := withPeer(p.target, func(next *peer) (string, error) {
			return "", next.allowed(context.Background())
		})
		if err != nil {
			return "", fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return "", nil
}
