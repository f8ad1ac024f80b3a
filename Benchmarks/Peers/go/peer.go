// GETs with Go's net/http.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	helloSize = 13
	largeSize = 100000000
	crowd     = 10000
)

type peer struct {
	client *http.Client
	url    string
	size   int
}

// A request may be sent again once the body of its answer is closed, so one serves a caller that waits for each.
func (p peer) request() *http.Request {
	request, err := http.NewRequest("GET", p.url, nil)
	if err != nil {
		log.Fatal(err)
	}
	return request
}

func (p peer) get(request *http.Request) {
	response, err := p.client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != 200 || len(body) != p.size {
		log.Fatalf("the server answered %d with %d bytes", response.StatusCode, len(body))
	}
}

func (p peer) each(count int) []int64 {
	times := make([]int64, count)
	request := p.request()
	for i := range times {
		start := time.Now()
		p.get(request)
		times[i] = time.Since(start).Nanoseconds()
	}
	return times
}

func (p peer) together(count, width int) []int64 {
	start := time.Now()
	work := make(chan struct{}, count)
	for i := 0; i < count; i++ {
		work <- struct{}{}
	}
	close(work)
	var lanes sync.WaitGroup
	for i := 0; i < width; i++ {
		lanes.Add(1)
		go func() {
			defer lanes.Done()
			request := p.request()
			for range work {
				p.get(request)
			}
		}()
	}
	lanes.Wait()
	return []int64{time.Since(start).Nanoseconds()}
}

func main() {
	work, url := os.Args[1], os.Args[2]
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConns = 0
	transport.MaxIdleConnsPerHost = crowd
	// So many at a time, as in `get-64`; 0 where each request is timed.
	width := 0
	if _, number, found := strings.Cut(work, "get-"); found {
		var err error
		if width, err = strconv.Atoi(number); err != nil {
			log.Fatal(err)
		}
	}
	p := peer{client: &http.Client{Transport: transport}, url: url, size: helloSize}
	if work == "large" {
		p.size = largeSize
	}
	if work == "once" {
		p.get(p.request())
		return
	}
	fmt.Println("ready")
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		count, err := strconv.Atoi(input.Text())
		if err != nil {
			log.Fatal(err)
		}
		var times []int64
		switch {
		case width > 0:
			times = p.together(count, width)
		case work == "crowd":
			for i := 0; i < count; i++ {
				times = append(times, p.together(crowd, crowd)...)
			}
		default:
			times = p.each(count)
		}
		output := bufio.NewWriter(os.Stdout)
		for i, nanoseconds := range times {
			if i > 0 {
				output.WriteByte(' ')
			}
			output.WriteString(strconv.FormatInt(nanoseconds, 10))
		}
		output.WriteByte('\n')
		output.Flush()
	}
}
