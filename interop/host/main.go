// Command host is an echo server on a service.
package main

import (
	"flag"
	"io"
	"time"

	"github.com/openziti/sdk-golang/ziti"
	"github.com/openziti/sdk-golang/ziti/edge"

	"edge-controller/interop/client"
)

func main() {
	signIn := client.Flags()
	service := flag.String("service", "", "name of the service")
	terminators := flag.Int("terminators", 3, "routers to listen at, at most")
	identity := flag.String("terminator-identity", "", "identity of the terminators")
	flag.Parse()

	context, err := signIn.Open()
	if err != nil {
		client.Fail(err)
	}
	options := ziti.DefaultListenOptions()
	options.MaxTerminators = *terminators
	options.Identity = *identity
	options.ConnectTimeout = 30 * time.Second
	options.WaitForNEstablishedListeners = 1
	listener, err := context.ListenWithOptions(*service, options)
	if err != nil {
		client.Fail(err)
	}
	if session, ok := listener.(edge.SessionListener); ok {
		session.SetConnectionChangeHandler(func(listeners []edge.Listener) {
			count := len(listeners)
			client.Print(client.Event{Event: "listeners", Listeners: &count})
		})
	}
	client.Print(client.Event{Event: "listening"})
	for number := 0; ; number++ {
		conn, err := listener.Accept()
		if err != nil {
			client.Fail(err)
		}
		go echo(conn.(edge.Conn), number)
	}
}

func echo(conn edge.Conn, number int) {
	defer conn.Close()
	client.Print(client.Event{Event: "accepted", Connection: &number, Caller: conn.SourceIdentifier()})
	bytes, err := io.Copy(conn, conn)
	event := client.Event{Event: "closed", Connection: &number, Bytes: bytes}
	if err == nil {
		err = conn.CloseWrite()
	}
	if err != nil {
		event.Error = err.Error()
	}
	client.Print(event)
	// The FIN must reach the other end before the close, which may overtake data.
	time.Sleep(time.Second)
}
