package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/containerd/ttrpc"
	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc/codes"

	"interop/permissions"
)

// lockedClient does what containerd's client 1.2.3 does: it writes a request while it holds the
// lock under which its reader looks up whom an answer is for. Against a server that stops reading
// while answers wait, the writer waits for the server, the server for the reader and the reader
// for the writer.
type lockedClient struct {
	connection net.Conn

	lock    sync.Mutex
	next    uint32
	waiting map[uint32]chan []byte
}

// locked makes a case of count calls at once that carry size bytes each way.
func locked(count, size int) func(*peer) (string, error) {
	return func(p *peer) (string, error) {
		connection, err := p.dial()
		if err != nil {
			return "", err
		}
		defer connection.Close()
		client := &lockedClient{connection: connection, next: 1, waiting: map[uint32]chan []byte{}}
		request, err := echoRequest(size)
		if err != nil {
			return "", err
		}
		results := make(chan error, count)
		for i := 0; i < count; i++ {
			go func() { results <- client.call(request, size) }()
		}
		failed := make(chan error, 1)
		go func() { failed <- client.read() }()
		for i := 0; i < count; i++ {
			select {
			case err := <-results:
				if err != nil {
					return "", err
				}
			case err := <-failed:
				return "", err
			}
		}
		return "", nil
	}
}

// echoRequest is the envelope of a call that carries size bytes and asks for as many.
func echoRequest(size int) ([]byte, error) {
	payload, err := proto.Marshal(&permissions.CheckRequest{
		Entity: strings.Repeat("e", size), Context: fmt.Sprintf("reply:%d", size),
	})
	if err != nil {
		return nil, err
	}
	return proto.Marshal(&ttrpc.Request{
		Service: permissions.ServiceName, Method: permissions.MethodName, Payload: payload,
	})
}

func (c *lockedClient) call(request []byte, size int) error {
	answer := make(chan []byte, 1)
	if err := c.send(request, answer); err != nil {
		return err
	}
	var response ttrpc.Response
	if err := proto.Unmarshal(<-answer, &response); err != nil {
		return err
	}
	if code := codes.Code(response.Status.GetCode()); code != codes.OK {
		return fmt.Errorf("%v: %s", code, response.Status.GetMessage())
	}
	if len(response.Payload) < size {
		return fmt.Errorf("an answer of %d bytes", len(response.Payload))
	}
	return nil
}

// send writes under the lock that read needs: that is the point.
func (c *lockedClient) send(request []byte, answer chan []byte) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	stream := c.next
	c.next += 2
	c.waiting[stream] = answer
	_, err := c.connection.Write(frame(stream, frameRequest, request))
	return err
}

// read hands out answers until the connection ends.
func (c *lockedClient) read() error {
	header := make([]byte, 10)
	for {
		if _, err := io.ReadFull(c.connection, header); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(header[0:4]))
		if _, err := io.ReadFull(c.connection, body); err != nil {
			return err
		}
		stream := binary.BigEndian.Uint32(header[4:8])
		c.lock.Lock()
		answer, ok := c.waiting[stream]
		delete(c.waiting, stream)
		c.lock.Unlock()
		if !ok {
			return fmt.Errorf("an answer for stream %d, which waits for none", stream)
		}
		answer <- body
	}
}
