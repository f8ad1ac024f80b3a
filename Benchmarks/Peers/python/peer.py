"""GETs with requests, or with the standard library's http.client where requests is not installed."""

import http.client
import os
import sys
import time
import urllib.parse

HELLO = 13
LARGE = 100_000_000


def with_requests(url):
    import requests

    session = requests.Session()
    session.trust_env = False
    session.verify = os.environ.get("SSL_CERT_FILE", True)

    def get():
        response = session.get(url)
        return response.status_code, len(response.content)

    return get


def with_http_client(url):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def get():
        connection.request("GET", parts.path)
        response = connection.getresponse()
        return response.status, len(response.read())

    return get


def checked(get, size):
    def operation():
        answer = get()
        if answer != (200, size):
            sys.exit(f"peer.py: the server answered {answer}")

    return operation


def serve(operation):
    print("ready", flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter_ns()
            operation()
            times.append(time.perf_counter_ns() - start)
        print(*times, flush=True)


MAKERS = {"requests": with_requests, "http.client": with_http_client}


def main(case, url):
    library, _, work = case.partition("/")
    get = MAKERS[library](url)
    operation = checked(get, LARGE if work == "large" else HELLO)
    if work == "once":
        operation()
    else:
        serve(operation)


main(*sys.argv[1:])
