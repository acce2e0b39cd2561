"""The nodes that a body adds to those of its DOFs: where its feet are, and how far hands and feet swing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.examples import Material
from freshtake.variation.settings import Settings
from freshtake.variation.synthesis.foot_nodes import NO_FEET, FootNodes, foot_nodes
from freshtake.variation.synthesis.swing_nodes import NO_SWINGS, SwingNodes, swing_nodes


class BodyNodes(NamedTuple):
    """Places of feet, then swings."""

    feet: FootNodes = NO_FEET
    swings: SwingNodes = NO_SWINGS

    @property
    def names(self) -> tuple[str, ...]:
        """Of the nodes."""
        return (*self.feet.nodes, *self.swings.nodes)

    @property
    def weights(self) -> Floats:
        """How far a unit of every node moves the body; swings move it by way of the other nodes."""
        return np.concatenate([np.repeat(self.feet.shares, 3), np.zeros(len(self.swings.joints))])


NO_BODY = BodyNodes()


def body_nodes(material: Material, settings: Settings) -> BodyNodes:
    """The body nodes that the settings switch on; none for the kernel methods, whose nodes are the DOFs."""
    if settings.method != "default":
        return NO_BODY
    return BodyNodes(
        foot_nodes(material) if settings.foot_nodes else NO_FEET,
        swing_nodes(material) if settings.swing_nodes else NO_SWINGS,
    )
