"""A live take from another program: poses that arrive as VMC messages, on the skeleton of a style model."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

from freshtake.errors import UsageError
from freshtake.formats.vrm import PoseReader
from freshtake.motion import Clip
from freshtake.motion.features import decode
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.style.model import StyleModel
from freshtake.workflows.live import MOST_PACKETS

PATIENCE = 20.0  # seconds that the first pose may take


class Receiver:
    """Listens on a port of this machine; `frames` gives the newest pose, whenever one is asked for."""

    def __init__(self, port: int) -> None:
        self._reader = PoseReader()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            reason = getattr(error, "strerror", None) or "it is not a port"
            raise UsageError(f"poses cannot be received on port {port} ({reason}): choose another port") from None
        self._socket.setblocking(False)

    def wait(self) -> None:
        """Wait until a complete body has arrived; raise after `PATIENCE` seconds."""
        end = time.monotonic() + PATIENCE
        while not self._reader.complete:
            self._take()
            if time.monotonic() > end:
                raise UsageError("no poses arrive: let the other program send VMC to this port, then try again")
            time.sleep(0.01)

    def frames(self, model: StyleModel) -> Iterator[Clip]:
        """Yield clips of one frame on the model's skeleton without end: the newest pose each time."""
        first = self._newest(model.frame_time)
        body = decode(model.recipe, model.poses, name="the model's skeleton")
        if not isinstance(body, Clip):
            raise UsageError("this style is of motion without a skeleton: choose a style of a body")
        onto = Retargeter(make_rig(first, who="the received body"), make_rig(body, who="the model's skeleton"))
        while True:
            yield onto.retarget(self._newest(model.frame_time))

    def _newest(self, frame_time: float) -> Clip:
        self._take()
        return self._reader.clip(frame_time)

    def _take(self) -> None:
        # A flood of packets must not stop the motion: the others are read with the next frame.
        for _ in range(MOST_PACKETS):
            try:
                self._reader.take(self._socket.recv(65536))
            except OSError:
                return
            except UsageError:
                continue  # not OSC: somebody else's packet

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
