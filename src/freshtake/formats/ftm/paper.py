"""Convert a PaperModel to parts of a model file and back. Loading imports synthesis, not the learner."""

from freshtake.formats.ftm.io import MOST_FRAMES, Fields, ReadParts, recipe_parts
from freshtake.formats.ftm.variation import material_parts, read_material
from freshtake.motion.validation import Parts
from freshtake.variation.paper.model import PaperModel, Settings
from freshtake.variation.paper.networks import PriorNetwork, TransitionNetwork
from freshtake.variation.paper.regression import Rule


def to_parts(model: PaperModel) -> Parts:
    """Return the parts from which `from_parts` restores the model."""
    header, arrays = material_parts(model)
    recipe = recipe_parts(model.material.recipe)
    header |= {
        "transition": [[int(p) for p in parents] for parents in model.transition.edges],
        "prior": [[int(p) for p in parents] for parents in model.prior.edges],
        "rule": model.rule._asdict(),
        "prior_rule": model.prior_rule._asdict(),
        "recipe": recipe.header,
    }
    return Parts(header, arrays | recipe.arrays)


def from_parts(parts: ReadParts) -> PaperModel:
    """Restore the model; raise a FreshtakeError if the parts are invalid."""
    header = parts.fields
    settings = header.settings(Settings)
    material = read_material(parts, settings.order + 2)
    names = material.names
    transition = header.lists_of_numbers("transition", 0, (settings.order + 1) * len(names) - 1)
    prior = header.lists_of_numbers("prior", 0, 2 * len(names) - 1)
    return PaperModel(
        material, settings, header.get("cyclic", "bool"), PriorNetwork(names, prior),
        TransitionNetwork(names, settings.order, transition),
        _rule(header.inner("prior_rule")), _rule(header.inner("rule")),
    )  # fmt: skip


def _rule(header: Fields) -> Rule:
    rule = Rule(header.get("neighbors", "int"), header.get("width", "float"), header.get("velocity_weight", "float"))
    for name, least in (("neighbors", 1), ("width", 1e-12), ("velocity_weight", 0.0)):
        value = getattr(rule, name)
        header.require(name, least <= value <= MOST_FRAMES, f"a number of {least:g} or more was expected, not {value}")
    return rule
