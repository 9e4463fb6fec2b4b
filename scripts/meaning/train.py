"""Trains a static model on commits: a message shall be nearer to the files and lines of its own commit than to those of
others.

    pip install scipy
    python train.py MODEL_FOLDER vectors.npz trained.npz REPOSITORY…

Repositories are git folders. Leave out those whose sessions the bench asks about.
"""

import re
import subprocess
import sys

import numpy as np
from scipy.sparse import csr_matrix

from static_model import StaticModel, load_int8, save_int8, unit, words_of

MOST_COMMITS = 9000
SOURCES = ["*.go", "*.ts", "*.tsx", "*.swift", "*.py", "*.md"]
EPOCHS, BATCH, RATE, TEMPERATURE = 3, 256, 0.004, 0.05
HELD_OUT = 1000


def read_pairs(repository: str) -> list[tuple[list[str], list[str]]]:
    """Returns the words of each message, and those of what was added."""
    command = ["git", f"--git-dir={repository}", "log", "--branches", "--no-merges", f"-{MOST_COMMITS}"]
    shape = ["--patch", "--unified=0", "--no-renames", "--format=%x00%s%x01%b%x01", "--", *SOURCES]
    log = subprocess.run([*command, *shape], capture_output=True, check=True).stdout.decode("utf8", "replace")
    pairs, known = [], set()
    for commit in log.split("\0")[1:]:
        subject, body, patch = commit.split("\1", 2)
        subject = re.sub(r"^\w+(\([^)]*\))?!?:\s+|\s*\(#\d+\)$", "", subject)
        if subject in known:
            continue
        known.add(subject)
        files = re.findall(r"^\+\+\+ b/(.*)$", patch, re.M)[:5]
        added = [line[1:] for line in patch.split("\n") if line.startswith("+") and not line.startswith("+++")]
        comments = [line for line in added if re.match(r"\s*(//|#|\*|/\*)", line)]
        body = re.sub(r"(?im)^(co-authored|signed-off|generated).*$", "", body)
        texts = [*files, body[:1500], "\n".join(comments)[:1000], "\n".join(added)[:2000]]
        asked, said = words_of(subject), words_of("\n".join(texts))[:150]
        if len(asked) >= 2 and len(said) >= 5:
            pairs.append((asked, said))
    return pairs


class Training:
    def __init__(self, model: StaticModel, pairs: list[tuple[list[str], list[str]]]) -> None:
        self.vectors = model.vectors / np.linalg.norm(model.vectors, axis=1).mean()
        tokens = lambda words: np.array([id for word in dict.fromkeys(words) for id in model.tokens_of(word)])
        self.sides = [[tokens(side) for side in sides] for sides in zip(*pairs)]
        counts = np.ones(len(self.vectors))
        for ids in self.sides[1]:
            counts[np.unique(ids)] += 1
        rarity = np.log(len(pairs) / counts).clip(0.3)
        self.weights = (rarity / rarity.mean()).astype(np.float32)
        self.mean, self.square, self.steps = np.zeros_like(self.vectors), np.zeros_like(self.vectors), 0

    def _bags(self, chosen: np.ndarray) -> list[csr_matrix]:
        bags = []
        for side in self.sides:
            rows = [side[at] for at in chosen]
            ids = np.concatenate(rows)
            places = (np.repeat(np.arange(len(rows)), [len(row) for row in rows]), ids)
            bags.append(csr_matrix((self.weights[ids], places), shape=(len(rows), len(self.vectors))))
        return bags

    def recall(self, chosen: np.ndarray) -> float:
        """Returns the share of messages with their commit among the first five."""
        asked, said = (unit(bag @ self.vectors) for bag in self._bags(chosen))
        near = asked @ said.T
        return float(((near > np.diag(near)[:, None]).sum(1) < 5).mean())

    def step(self, chosen: np.ndarray) -> None:
        """Moves the vectors along the gradient of the contrastive loss, both ways (Adam)."""
        bags = self._bags(chosen)
        sums = [bag @ self.vectors for bag in bags]
        lengths = [np.linalg.norm(one, axis=1, keepdims=True) + 1e-9 for one in sums]
        asked, said = (one / length for one, length in zip(sums, lengths))
        near = np.exp((asked @ said.T - 1) / TEMPERATURE)
        wrong = near / near.sum(1, keepdims=True) + near / near.sum(0) - 2 * np.eye(len(chosen))
        wrong /= 2 * len(chosen) * TEMPERATURE
        gradient = np.zeros_like(self.vectors)
        for bag, own, length, pull in zip(bags, (asked, said), lengths, (wrong @ said, wrong.T @ asked)):
            gradient += bag.T @ ((pull - own * (pull * own).sum(1, keepdims=True)) / length)
        self.steps += 1
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.square = 0.99 * self.square + 0.01 * gradient**2
        move = self.mean / (1 - 0.9**self.steps) / (np.sqrt(self.square / (1 - 0.99**self.steps)) + 1e-7)
        self.vectors -= RATE * move * gradient.any(1)[:, None]


def main(folder: str, source: str, target: str, repositories: list[str]) -> None:
    pairs = [pair for repository in repositories for pair in read_pairs(repository)]
    order = np.random.default_rng(1).permutation(len(pairs))
    held, own = order[:HELD_OUT], order[HELD_OUT:]
    training = Training(StaticModel(folder, load_int8(source)), pairs)
    print(f"{len(pairs)} commits; R@5 of those held out: {training.recall(held):.3f}", flush=True)
    for epoch in range(EPOCHS):
        np.random.default_rng(epoch).shuffle(own)
        for at in range(0, len(own) - BATCH, BATCH):
            training.step(own[at : at + BATCH])
        print(f"after epoch {epoch + 1}: {training.recall(held):.3f}", flush=True)
    save_int8(target, training.vectors)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
