"""A server that speaks S3, on a free port of loopback; it says which, and runs until it is ended."""

import threading

from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
print(f"listening on http://{host}:{port}", flush=True)
threading.Event().wait()
