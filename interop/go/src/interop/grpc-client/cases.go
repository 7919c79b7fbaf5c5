package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"interop/permissions"
)

// interopCase is one behaviour that a client of gRPC relies on.
type interopCase struct {
	name    string
	summary string
	run     func(*peer) (detail string, err error)
}

var cases = []interopCase{
	{"unary", "one call and its answer; an empty message is one", unary},
	{"server-stream", "one request, two answers", serverStream},
	{"client-stream", "several requests or none, one answer", clientStream},
	{"bidirectional", "each word waits for the answer to the word before", bidirectional},
	{"concurrent", "1,000 calls at once over one connection, each with its own answer", concurrent},
	{"deadline-told", "the handler knows how long it has", deadlineTold},
	{"deadline-kept", "calls past their deadline end with DeadlineExceeded", deadlineKept},
	{"client-gives-up", "a stream that its client cancels ends its handler", clientGivesUp},
	{"server-ends-early", "a stream that the server ends while the client still sends", serverEndsEarly},
	{"metadata", "text and bytes arrive, repeated keys too", sentMetadata},
	{"answered-metadata", "metadata stands in the header of an answer and in the trailer of a stream", answeredMetadata},
	{"error-details", "code, text and details of a failure arrive, before answers and behind them", errorDetails},
	{"unknown-method", "unknown methods and services are Unimplemented", unknownMethod},
	{"large-messages", "messages of 4 MiB pass, larger ones are refused, and the connection lives", largeMessages},
	{"large-streams", "8 MiB each way in one stream, more than all windows hold", largeStreams},
	{"gzip", "requests and answers are compressed, and a bomb is refused", compressed},
	{"health", "health is answered and watched", healthWatched},
	{"reflection-v1", "services and files are told", reflected("v1")},
	{"reflection-v1alpha", "the same by the older name", reflected("v1alpha")},
	{"connections-end", "2,000 calls in a row, or as many as three connections last", connectionsEnd},
}

func asking(subject, context string) *permissions.CheckRequest {
	return &permissions.CheckRequest{Subject: subject, Context: context}
}

func unary(p *peer) (string, error) {
	empty, err := p.say(context.Background(), &permissions.CheckRequest{})
	return first(equal(empty, "", err), p.works())
}

func serverStream(p *peer) (string, error) {
	requests := []*permissions.CheckRequest{asking("a", "")}
	reasons, err := p.reasons(context.Background(), "/test.Echo/Count", requests)
	return first(equal(reasons, []string{"a1", "a2"}, err))
}

func clientStream(p *peer) (string, error) {
	requests := []*permissions.CheckRequest{asking("a", ""), asking("b", "")}
	joined, err := p.reasons(context.Background(), "/test.Echo/Join", requests)
	none, errNone := p.reasons(context.Background(), "/test.Echo/Join", nil)
	return first(equal(joined, []string{"a,b"}, err), equal(none, []string{""}, errNone))
}

func bidirectional(p *peer) (string, error) {
	stream, err := p.stream(context.Background(), "/test.Echo/Chat")
	if err != nil {
		return "", err
	}
	for _, word := range []string{"a", "b", "c"} {
		if err := stream.SendMsg(asking(word, "")); err != nil {
			return "", err
		}
		var response permissions.CheckResponse
		err := stream.RecvMsg(&response)
		if err := equal(response.Reason, word, err); err != nil {
			return "", err
		}
	}
	if err := stream.CloseSend(); err != nil {
		return "", err
	}
	return first(endOf(stream.RecvMsg(&permissions.CheckResponse{})))
}

func concurrent(p *peer) (string, error) {
	const count = 1000
	failures := make(chan error, count)
	var group sync.WaitGroup
	for i := 0; i < count; i++ {
		group.Add(1)
		go func(number string) {
			defer group.Done()
			reason, err := p.say(context.Background(), asking(number, ""))
			if err := equal(reason, number, err); err != nil {
				failures <- err
			}
		}(fmt.Sprint(i))
	}
	group.Wait()
	close(failures)
	if err, any := <-failures; any {
		return "", fmt.Errorf("%d of %d calls failed, one with: %w", len(failures)+1, count, err)
	}
	return "", equal(atomic.LoadInt32(&p.dialCount), 1, nil)
}

func deadlineTold(p *peer) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Minute)
	defer cancel()
	told, err := p.say(ctx, asking("", "tell"))
	if err != nil {
		return "", err
	}
	var seconds int
	if _, err := fmt.Sscanf(told, "seconds=%d", &seconds); err != nil || seconds <= 0 || seconds > 3000 {
		return "", fmt.Errorf("the handler was told %q", told)
	}
	untold, err := p.say(context.Background(), asking("", "tell"))
	return first(equal(strings.SplitN(untold, "\n", 2)[0], "seconds=none", err))
}

func deadlineKept(p *peer) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := p.say(ctx, asking("", "hold"))
	late, cancelLate := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancelLate()
	requests := []*permissions.CheckRequest{asking("", "hold")}
	_, errStream := p.reasons(late, "/test.Echo/Count", requests)
	return first(
		refused(err, codes.DeadlineExceeded), refused(errStream, codes.DeadlineExceeded), p.works(),
	)
}

func clientGivesUp(p *peer) (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, err := p.stream(ctx, "/test.Echo/Count")
	if err != nil {
		return "", err
	}
	if _, err := first(stream.SendMsg(asking("a", "hold")), stream.CloseSend()); err != nil {
		return "", err
	}
	var response permissions.CheckResponse
	err = stream.RecvMsg(&response)
	if err := equal(response.Reason, "a1", err); err != nil {
		return "", err
	}
	cancel()
	for err == nil {
		err = stream.RecvMsg(&response)
	}
	// Answered when a handler has seen that its call was given up.
	reason, errSay := p.say(context.Background(), asking("b", "cancelled"))
	return first(refused(err, codes.Canceled), equal(reason, "b", errSay))
}

func serverEndsEarly(p *peer) (string, error) {
	for _, method := range []string{"/test.Echo/Chat", "/test.Echo/Join"} {
		stream, err := p.stream(context.Background(), method)
		if err != nil {
			return "", err
		}
		if err := stream.SendMsg(asking("a", "fail")); err != nil {
			return "", err
		}
		if method == "/test.Echo/Join" {
			// It answers when it has all.
			if err := stream.CloseSend(); err != nil {
				return "", err
			}
		}
		err = stream.RecvMsg(&permissions.CheckResponse{})
		if err := refused(err, codes.ResourceExhausted); err != nil {
			return "", fmt.Errorf("%s: %w", method, err)
		}
	}
	return first(p.works())
}

func sentMetadata(p *peer) (string, error) {
	ctx := metadata.AppendToOutgoingContext(
		context.Background(), "color", "red", "color", "blue", "key-bin", "\x00\xff\xfe",
	)
	told, err := p.say(ctx, asking("", "tell"))
	if err != nil {
		return "", err
	}
	for _, line := range []string{"color=red", "color=blue", "key-bin=AP/+"} {
		if !strings.Contains("\n"+told, "\n"+line+"\n") {
			return "", fmt.Errorf("%s is not in %q", line, told)
		}
	}
	return "", nil
}

func answeredMetadata(p *peer) (string, error) {
	var header metadata.MD
	_, err := p.say(context.Background(), asking("a", "header"), grpc.Header(&header))
	if err := answered(header, err); err != nil {
		return "", err
	}
	stream, err := p.stream(context.Background(), "/test.Echo/Count")
	if err != nil {
		return "", err
	}
	_, err = first(stream.SendMsg(asking("a", "header")), stream.CloseSend())
	for err == nil {
		err = stream.RecvMsg(&permissions.CheckResponse{})
	}
	return first(answered(stream.Trailer(), endOf(err)))
}

// answered is nil if the metadata of an answer is what a handler has set.
func answered(md metadata.MD, err error) error {
	if err != nil {
		return err
	}
	found := fmt.Sprintf("%q %q", md.Get("answered-by"), md.Get("token-bin"))
	return equal(found, `["echo"] ["\x00\x01\x02"]`, nil)
}

func errorDetails(p *peer) (string, error) {
	_, err := p.say(context.Background(), asking("a", "fail"))
	requests := []*permissions.CheckRequest{asking("a", "fail")}
	reasons, errStream := p.reasons(context.Background(), "/test.Echo/Count", requests)
	return first(
		failed(err), failed(errStream), equal(reasons, []string{"a1", "a2"}, nil),
	)
}

// failed is nil if a call has failed in the way that it was asked to.
func failed(err error) error {
	if err := refused(err, codes.ResourceExhausted); err != nil {
		return err
	}
	result := status.Convert(err)
	if err := equal(result.Message(), "50 % of éverything\n", nil); err != nil {
		return err
	}
	var reason, delay string
	for _, detail := range result.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			reason = detail.Reason
		case *errdetails.RetryInfo:
			delay = fmt.Sprint(detail.RetryDelay.Seconds, detail.RetryDelay.Nanos)
		}
	}
	return equal(reason+" "+delay, "OVERLOADED 1 500000000", nil)
}

func unknownMethod(p *peer) (string, error) {
	for _, method := range []string{"/test.Echo/Nothing", "/test.Nothing/Say"} {
		var response permissions.CheckResponse
		err := p.connection.Invoke(context.Background(), method, asking("a", ""), &response)
		if err := refused(err, codes.Unimplemented); err != nil {
			return "", err
		}
	}
	return first(p.works())
}

func largeMessages(p *peer) (string, error) {
	// A field has a tag and four bytes of length beside what it holds.
	subject := strings.Repeat("x", 4<<20-5)
	reason, err := p.say(
		context.Background(), asking(subject, ""), grpc.MaxCallRecvMsgSize(8<<20),
	)
	if err := equal(len(reason), len(subject), err); err != nil {
		return "", err
	}
	_, tooLong := p.say(context.Background(), asking(subject+"x", ""))
	_, tooLongAnswer := p.say(context.Background(), asking("", "large"), grpc.MaxCallRecvMsgSize(8<<20))
	return first(
		refused(tooLong, codes.ResourceExhausted), refused(tooLongAnswer, codes.ResourceExhausted),
		p.works(),
	)
}

func largeStreams(p *peer) (string, error) {
	stream, err := p.stream(context.Background(), "/test.Echo/Chat")
	if err != nil {
		return "", err
	}
	const count = 32
	subject := strings.Repeat("x", 1<<18)
	sent := make(chan error, 1)
	go func() {
		for i := 0; i < count; i++ {
			if err := stream.SendMsg(asking(subject, "")); err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	received := 0
	for {
		var response permissions.CheckResponse
		if err := stream.RecvMsg(&response); err != nil {
			return first(<-sent, endOf(err), equal(received, count, nil))
		}
		if err := equal(len(response.Reason), len(subject), nil); err != nil {
			return "", err
		}
		received++
	}
}

func compressed(p *peer) (string, error) {
	use := grpc.UseCompressor(gzip.Name)
	subject := strings.Repeat("abc", 100000)
	reason, err := p.say(context.Background(), asking(subject, ""), use)
	if err := equal(reason == subject, true, err); err != nil {
		return "", err
	}
	_, err = p.say(context.Background(), asking(strings.Repeat("x", 5<<20), ""), use)
	return first(refused(err, codes.ResourceExhausted), p.works())
}

func connectionsEnd(p *peer) (string, error) {
	calls := 0
	for calls < 2000 && atomic.LoadInt32(&p.dialCount) < 3 {
		if err := p.works(); err != nil {
			return "", fmt.Errorf("call %d: %w", calls, err)
		}
		calls++
	}
	return fmt.Sprintf("%d connections", atomic.LoadInt32(&p.dialCount)), nil
}

// endOf is nil for the end of a stream that has succeeded.
func endOf(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
