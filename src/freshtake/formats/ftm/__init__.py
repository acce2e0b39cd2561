"""Model files (.ftm): one JSON header and arrays in a zip archive, without pickle, each array with its SHA-256."""

from freshtake.formats.ftm.io import Stored, check_model_target, is_model, load, looks_like_model, read_stored, save

__all__ = ["Stored", "check_model_target", "is_model", "load", "looks_like_model", "read_stored", "save"]
