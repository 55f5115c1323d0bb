"""An echo server on a service, with the C SDK. Usage: host.py IDENTITY SERVICE"""

import socket
import sys
import threading
import time

import openziti

from events import emit


def echo(connection, number):
    total = 0
    try:
        while data := connection.recv(32768):
            connection.sendall(data)
            total += len(data)
        # This version drops what it has not sent yet when the socket is shut down.
        time.sleep(1)
        connection.shutdown(socket.SHUT_WR)
        emit("closed", connection=number, bytes=total)
        # A close overtakes the end of the data.
        time.sleep(1)
    except OSError as error:
        emit("closed", connection=number, bytes=total, error=str(error))
    finally:
        connection.close()


def main():
    identity, service = sys.argv[1:]
    listener = openziti.load(identity).bind(service)
    listener.listen(5)
    emit("listening")
    number = 0
    while True:
        connection, caller = listener.accept()
        emit("accepted", connection=number, caller=caller[0])
        threading.Thread(target=echo, args=(connection, number), daemon=True).start()
        number += 1


main()
