"""Sends bytes to a service that echoes, with the C SDK. Usage: dialer.py IDENTITY SERVICE BYTES"""

import hashlib
import os
import socket
import sys
import threading
import time

from openziti import zitilib

from events import emit

CHUNK = 30_000


def send(connection, count, sent):
    while count > 0:
        data = os.urandom(min(count, CHUNK))
        sent.update(data)
        connection.sendall(data)
        count -= len(data)


def dial(identity, service):
    handle = zitilib.load(identity)
    descriptor = zitilib.ziti_socket(socket.SOCK_STREAM)
    # ZitiContext.connect of this version fails without the identity of a terminator.
    zitilib.check_error(zitilib._ziti_connect(descriptor, handle, service.encode(), None))
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor)


def main():
    identity, service, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    connection = dial(identity, service)
    emit("open", connection=0)
    started_at = time.monotonic()
    sent, received, total = hashlib.sha256(), hashlib.sha256(), 0
    sender = threading.Thread(target=send, args=(connection, count, sent))
    sender.start()
    while total < count and (data := connection.recv(65536)):
        received.update(data)
        total += len(data)
    sender.join()
    emit(
        "transferred",
        connection=0,
        bytes=total,
        sentSha256=sent.hexdigest(),
        receivedSha256=received.hexdigest(),
        milliseconds=(time.monotonic() - started_at) * 1000,
    )
    connection.close()


main()
