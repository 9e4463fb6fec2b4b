"""A static model: one vector for each token of a vocabulary. The vector of a word is the sum of its tokens' vectors."""

import json
import re
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

STOP_WORDS = set(
    json.loads((Path(__file__).parents[2] / "resources/words/stop-words.json").read_text())
)
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


def words_of(text: str) -> list[str]:
    """Returns the telling words of a text, identifiers split at their humps."""
    parts = (part.lower() for part in PARTS.findall(text))
    return [word for word in parts if len(word) > 1 and word not in STOP_WORDS]


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / (np.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-9)


class StaticModel:
    def __init__(self, folder: str, vectors: np.ndarray) -> None:
        self._tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokens: dict[str, list[int]] = {}
        self.vectors = vectors

    def tokens_of(self, word: str) -> list[int]:
        if word not in self._tokens:
            self._tokens[word] = self._tokenizer.encode(word, add_special_tokens=False).ids
        return self._tokens[word]

    def encode(self, words: list[str]) -> np.ndarray:
        """Returns a unit vector for each word."""
        return unit(np.stack([self.vectors[self.tokens_of(word)].sum(0) for word in words]))


def save_int8(path: str, vectors: np.ndarray) -> None:
    """Writes a byte for each number, and a scale for each token."""
    scales = np.abs(vectors).max(1, keepdims=True) / 127 + 1e-9
    np.savez(path, vectors=np.round(vectors / scales).astype(np.int8), scales=scales.astype(np.float16))


def load_int8(path: str) -> np.ndarray:
    stored = np.load(path)
    return stored["vectors"].astype(np.float32) * stored["scales"].astype(np.float32)
