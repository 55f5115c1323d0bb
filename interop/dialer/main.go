// Command dialer dials a service whose host echoes. It sends bytes, or keeps connections open with data on them.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"

	"edge-controller/interop/client"
)

const (
	chunkBytes  = 30_000
	pulseBytes  = 100
	pulsePause  = 5 * time.Millisecond
	printPause  = 200 * time.Millisecond
	redialPause = 20 * time.Millisecond
	dialTimeout = 5 * time.Second
)

func main() {
	signIn := client.Flags()
	service := flag.String("service", "", "name of the service")
	identity := flag.String("terminator-identity", "", "identity of the terminator")
	bytes := flag.Int64("bytes", 0, "bytes to send on each connection")
	connections := flag.Int("connections", 1, "connections at the same time")
	keepOpen := flag.Bool("keep-open", false, "keeps sending until the connection ends")
	redial := flag.Bool("redial", false, "with -keep-open: dials again when a connection has ended, again and again")
	flag.Parse()

	context, err := signIn.Open()
	if err != nil {
		client.Fail(err)
	}
	dial := func() (edge.Conn, error) {
		return context.DialWithOptions(*service, &ziti.DialOptions{ConnectTimeout: dialTimeout, Identity: *identity})
	}
	var all sync.WaitGroup
	for number := range *connections {
		all.Go(func() {
			for {
				use(dial, number, *bytes, *keepOpen)
				if !*redial {
					return
				}
				time.Sleep(redialPause)
			}
		})
	}
	all.Wait()
	context.Close()
}

func use(dial func() (edge.Conn, error), number int, bytes int64, keepOpen bool) {
	conn, err := dial()
	if err != nil {
		client.Print(client.Event{Event: "refused", Connection: &number, Error: err.Error()})
		return
	}
	defer conn.Close()
	client.Print(client.Event{Event: "open", Connection: &number})
	if keepOpen {
		pulse(conn, number)
	} else {
		transfer(conn, number, bytes)
	}
}

// transfer sends random bytes, then FIN, and reads what comes back until the other end's FIN.
func transfer(conn edge.Conn, number int, bytes int64) {
	startedAt := time.Now()
	sent := sha256.New()
	written := make(chan error, 1)
	go func() {
		var seed [32]byte
		seed[0] = byte(number)
		random := io.LimitReader(rand.NewChaCha8(seed), bytes)
		_, err := io.CopyBuffer(onlyWriter{conn}, io.TeeReader(random, sent), make([]byte, chunkBytes))
		if err == nil {
			err = conn.CloseWrite()
		}
		written <- err
	}()
	received := sha256.New()
	count, err := io.Copy(received, conn)
	err = errors.Join(err, <-written)
	event := client.Event{
		Event:      "transferred",
		Connection: &number,
		Bytes:      count,
		Sent:       hex.EncodeToString(sent.Sum(nil)),
		Received:   hex.EncodeToString(received.Sum(nil)),
		Millis:     float64(time.Since(startedAt).Microseconds()) / 1000,
	}
	if err != nil {
		event.Error = err.Error()
	}
	client.Print(event)
}

// onlyWriter hides the other methods of a connection, so that a copy uses its own buffer.
type onlyWriter struct{ io.Writer }

// pulse sends and reads until the connection ends. It prints `flowing` for what has come back since the last time.
func pulse(conn edge.Conn, number int) {
	go func() {
		for data := make([]byte, pulseBytes); ; time.Sleep(pulsePause) {
			if _, err := conn.Write(data); err != nil {
				return
			}
		}
	}()
	var total, recent int64
	printedAt := time.Now()
	for buffer := make([]byte, chunkBytes); ; {
		count, err := conn.Read(buffer)
		total += int64(count)
		recent += int64(count)
		if err != nil {
			event := client.Event{Event: "ended", Connection: &number, Bytes: total}
			if !errors.Is(err, io.EOF) {
				event.Error = err.Error()
			}
			client.Print(event)
			return
		}
		if time.Since(printedAt) > printPause {
			client.Print(client.Event{Event: "flowing", Connection: &number, Bytes: recent})
			recent, printedAt = 0, time.Now()
		}
	}
}
