"""A server with a bulk interface that fails as it is told: bulkserver.py DIRECTORY [CERTIFICATE KEY]

Writes its port to DIRECTORY/port and ends when DIRECTORY/stop is there. Each request takes the first word of the file
DIRECTORY/plan away: ok, items (every 5th document is refused, every 7th is to come again), 429, 429after (in a second),
500, 503, 401, 302, hang, close, cut (an answer that breaks off), html, other (an answer to fewer documents), endless, items429; and small:N, 413
for requests of more than N documents, from then on. DIRECTORY/documents has a line for each that it took, as JSON: [INDEX/ID, DOCUMENT]; DIRECTORY/log a line for each
request: what was done, the number of documents, the header Authorization."""
import gzip
import json
import os
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

directory = sys.argv[1]
lock = threading.Lock()
taken, most = set(), 10 ** 9


def next_word():
    path = os.path.join(directory, "plan")
    try:
        with open(path, encoding="utf-8") as f:
            words = f.read().split()
    except FileNotFoundError:
        words = []
    if not words:
        return "ok"
    with open(path, "w", encoding="utf-8") as f:
        f.write(" ".join(words[1:]))
    return words[0]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def take(self, docs, word):
        items, stored, errors = [], [], False
        for i, (action, text) in enumerate(docs):
            what = action["index"]
            error = None
            if word == "items" and i % 5 == 0:
                error = (400, {"type": "mapper_parsing_exception", "reason": "failed to parse \x1b[31m field"})
            elif word in ("items", "items429") and i % 7 == 0:
                error = (429, {"type": "es_rejected_execution_exception", "reason": "queue is full"})
            if error:
                errors = True
                items.append({"index": {"status": error[0], "error": error[1]}})
                continue
            key = what["_index"] + "/" + what["_id"]
            items.append({"index": {"status": 200 if key in taken else 201}})
            taken.add(key)
            stored.append(json.dumps([key, json.loads(text)]) + "\n")
        with open(os.path.join(directory, "documents"), "a", encoding="utf-8") as f:
            f.writelines(stored)
        if word == "other":
            items = items[1:]
        return {"errors": errors, "items": items}

    def do_POST(self):
        global most
        body = self.rfile.read(int(self.headers["Content-Length"]))
        wrong = []
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        elif os.path.exists(os.path.join(directory, "gzip")):
            wrong.append("plain")
        if self.headers["Content-Type"] != "application/x-ndjson":
            wrong.append("type")
        if self.path.split("?")[0] != "/some/where/_bulk":
            wrong.append("path")
        lines = body.decode().split("\n")
        if lines.pop() != "" or len(lines) % 2:
            wrong.append("lines")
        docs = [(json.loads(a), d) for a, d in zip(lines[::2], lines[1::2])]
        with lock:
            word = next_word()
            while word.startswith("small:"):
                most = int(word[6:])
                word = next_word()
            if len(docs) > most:
                word = "413"
            with open(os.path.join(directory, "log"), "a", encoding="utf-8") as f:
                f.write(f"{word} {len(docs)} {self.headers.get('Authorization', '-')} {' '.join(wrong)}\n")
            if word == "hang":
                pass
            elif word in ("ok", "items", "items429", "other"):
                self.answer(200, self.take(docs, word))
            elif word == "429after":
                self.answer(429, {}, [("Retry-After", "1")])
            elif word == "302":
                self.answer(302, {}, [("Location", "/elsewhere/_bulk")])
            elif word == "html":
                self.answer(200, b"<html>\nhello</html>")
            elif word == "close":
                self.connection.close()
                self.close_connection = True
            elif word == "cut":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"errors": false, "items": [')
                self.close_connection = True
            elif word == "endless":
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    for _ in range(100):
                        self.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                except OSError:
                    pass
                self.close_connection = True
            else:
                self.answer(int(word), {"error": {"type": "made_up", "reason": "as planned"}, "status": int(word)})
        if word == "hang":
            time.sleep(60)

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with open(os.path.join(directory, "port.new"), "w", encoding="utf-8") as f:
        f.write(str(server.server_address[1]))
    os.rename(f.name, os.path.join(directory, "port"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    end = time.monotonic() + 280
    while not os.path.exists(os.path.join(directory, "stop")) and time.monotonic() < end:
        time.sleep(0.05)


# A handshake that fails is the client's to tell.
sys.stderr = open(os.devnull, "w", encoding="utf-8")
main()
