// Package client signs in with the Go SDK, as the flags and the environment of a program say, and prints events.
package client

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"sync"
	"time"

	"github.com/openziti/edge-api/rest_model"
	edgeapis "github.com/openziti/sdk-golang/edge-apis"
	"github.com/openziti/sdk-golang/ziti"
)

// SignIn says who signs in, and how. Without an identity file, a username or EDGE_JWT says it.
type SignIn struct {
	identity   *string
	controller *string
	ca         *string
	username   *string
}

// Flags declares the flags of a sign-in. Secrets come from the environment: EDGE_PASSWORD, EDGE_JWT, EDGE_TOTP_CODE.
func Flags() *SignIn {
	return &SignIn{
		identity:   flag.String("identity", "", "identity file with certificate and key"),
		controller: flag.String("controller", "", "URL of the Client API, without an identity file"),
		ca:         flag.String("ca", "", "PEM file with the CA certificates, without an identity file"),
		username:   flag.String("username", "", "signs in with a password, which is in EDGE_PASSWORD"),
	}
}

// Open returns a signed-in context of the SDK.
func (signIn *SignIn) Open() (ziti.Context, error) {
	config, err := signIn.config()
	if err != nil {
		return nil, err
	}
	context, err := ziti.NewContext(config)
	if err != nil {
		return nil, err
	}
	if code := os.Getenv("EDGE_TOTP_CODE"); code != "" {
		context.Events().AddMfaTotpCodeListener(
			func(_ ziti.Context, _ *rest_model.AuthQueryDetail, answer ziti.MfaCodeResponse) {
				if err := answer(code); err != nil {
					Print(Event{Event: "totp refused", Error: err.Error()})
				}
			})
	}
	return context, context.Authenticate()
}

func (signIn *SignIn) config() (*ziti.Config, error) {
	if *signIn.identity != "" {
		return ziti.NewConfigFromFile(*signIn.identity)
	}
	pem, err := os.ReadFile(*signIn.ca)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New(*signIn.ca + " has no certificate")
	}
	config := &ziti.Config{ZtAPI: *signIn.controller}
	if *signIn.username != "" {
		credentials := edgeapis.NewUpdbCredentials(*signIn.username, os.Getenv("EDGE_PASSWORD"))
		credentials.CaPool = pool
		config.Credentials = credentials
		return config, nil
	}
	jwt := os.Getenv("EDGE_JWT")
	if jwt == "" {
		return nil, errors.New("nothing to sign in with: -identity, -username or EDGE_JWT")
	}
	credentials := edgeapis.NewJwtCredentials(jwt)
	credentials.CaPool = pool
	config.Credentials = credentials
	return config, nil
}

// Event is one line of the output. Connection counts from 0. At is Unix time in milliseconds.
type Event struct {
	Event      string  `json:"event"`
	At         float64 `json:"at"`
	Connection *int    `json:"connection,omitempty"`
	Caller     string  `json:"caller,omitempty"`
	Listeners  *int    `json:"listeners,omitempty"`
	Bytes      int64   `json:"bytes,omitempty"`
	Sent       string  `json:"sentSha256,omitempty"`
	Received   string  `json:"receivedSha256,omitempty"`
	Millis     float64 `json:"milliseconds,omitempty"`
	Error      string  `json:"error,omitempty"`
}

var output sync.Mutex

// Print writes an event as a line of JSON.
func Print(event Event) {
	output.Lock()
	defer output.Unlock()
	event.At = float64(time.Now().UnixMicro()) / 1000
	_ = json.NewEncoder(os.Stdout).Encode(event)
}

// Fail prints why the program ends, and ends it.
func Fail(err error) {
	Print(Event{Event: "failed", Error: err.Error()})
	os.Exit(1)
}
