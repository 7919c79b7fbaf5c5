package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"

	"github.com/containerd/ttrpc"
	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc/codes"

	"interop/permissions"
)

// The frame types of the protocol, and one that it does not define.
const (
	frameRequest  = 0x01
	frameResponse = 0x02
	frameUnknown  = 0x7e
)

// frame writes the ten bytes of a header in front of a payload.
func frame(stream uint32, kind byte, payload []byte) []byte {
	bytes := make([]byte, 10, 10+len(payload))
	binary.BigEndian.PutUint32(bytes[0:4], uint32(len(payload)))
	binary.BigEndian.PutUint32(bytes[4:8], stream)
	bytes[8] = kind
	return append(bytes, payload...)
}

// requestFrame is a call that is answered with "allowed".
func requestFrame(stream uint32) ([]byte, error) {
	payload, err := proto.Marshal(&permissions.CheckRequest{Subject: "user-1"})
	if err != nil {
		return nil, err
	}
	envelope, err := proto.Marshal(&ttrpc.Request{
		Service: permissions.ServiceName, Method: permissions.MethodName, Payload: payload,
	})
	if err != nil {
		return nil, err
	}
	return frame(stream, frameRequest, envelope), nil
}

// readResponse reads one frame and expects it to answer a stream with a code.
func readResponse(connection net.Conn, stream uint32, code codes.Code) error {
	header := make([]byte, 10)
	if _, err := io.ReadFull(connection, header); err != nil {
		return err
	}
	length := binary.BigEndian.Uint32(header[0:4])
	if length > 4<<20 {
		return fmt.Errorf("a reply of %d bytes", length)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(connection, body); err != nil {
		return err
	}
	if header[8] != frameResponse || binary.BigEndian.Uint32(header[4:8]) != stream {
		return fmt.Errorf("a reply with the header % x, expected stream %d", header, stream)
	}
	var response ttrpc.Response
	if err := proto.Unmarshal(body, &response); err != nil {
		return err
	}
	if got := codes.Code(response.Status.GetCode()); got != code {
		return fmt.Errorf("expected %v, got %v: %s", code, got, response.Status.GetMessage())
	}
	return nil
}

func frameDrip(p *peer) (string, error) {
	connection, err := p.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	request, err := requestFrame(1)
	if err != nil {
		return "", err
	}
	for i := range request {
		if _, err := connection.Write(request[i : i+1]); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d bytes", len(request)), readResponse(connection, 1, codes.OK)
}

func frameUnknownType(p *peer) (string, error) {
	return "", afterFrame(p, frame(1, frameUnknown, []byte("future")), nil)
}

func frameEvenStream(p *peer) (string, error) {
	request, err := requestFrame(2)
	if err != nil {
		return "", err
	}
	return "", afterFrame(p, request, func(connection net.Conn) error {
		return readResponse(connection, 2, codes.InvalidArgument)
	})
}

func frameGarbageRequest(p *peer) (string, error) {
	garbage := frame(1, frameRequest, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	return "", afterFrame(p, garbage, func(connection net.Conn) error {
		return readResponse(connection, 1, codes.InvalidArgument)
	})
}

// afterFrame sends an odd frame, expects what `answer` checks, and then expects an ordinary call on
// the same connection to work.
func afterFrame(p *peer, odd []byte, answer func(net.Conn) error) error {
	connection, err := p.dial()
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := connection.Write(odd); err != nil {
		return err
	}
	if answer != nil {
		if err := answer(connection); err != nil {
			return err
		}
	}
	request, err := requestFrame(3)
	if err != nil {
		return err
	}
	if _, err := connection.Write(request); err != nil {
		return err
	}
	return readResponse(connection, 3, codes.OK)
}
