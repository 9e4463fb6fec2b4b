"""Measures a static model as a feature of recall: adds it to the scores of the best hits and compares the two orders.

    npm run bench -- recall --documents … --queries … --hits FOLDER
    python rerank.py MODEL_FOLDER vectors.npz [--maxsim 0] [--cosine 0.8] FOLDER/*.jsonl

maxsim is the mean, over the words of the query, of the cosine with the nearest word of the text, weighted by rarity;
cosine is that of the weighted sums. The interval is of the gain in R@5: 10,000 bootstrap samples of the queries.
"""

import argparse
import json
import math
from collections import Counter

import numpy as np

from static_model import StaticModel, load_int8, unit, words_of

MOST_CHARACTERS = 4000
# Added by recall to a text that has what was typed word by word: such a text stays first.
PASTED = 3
# Keywords are ranked by places in lists, questions by scores about four times as large.
KEYWORDS = 0.25


def rank_of(query: dict, scores: np.ndarray) -> float:
    order = np.argsort(-scores, kind="stable")
    right = (place for place, at in enumerate(order) if query["hits"][at]["id"] in query["expected"])
    return next(right, math.inf)


class Reranker:
    def __init__(self, model: StaticModel, queries: list[dict], maxsim: float, cosine: float) -> None:
        self.maxsim, self.cosine = maxsim, cosine
        hits = {hit["id"]: hit["text"][:MOST_CHARACTERS] for query in queries for hit in query["hits"]}
        self.texts = {id: Counter(words_of(text)) for id, text in hits.items()}
        self.counts = Counter(word for words in self.texts.values() for word in words)
        asked = {word for query in queries for word in words_of(query["query"])}
        words = sorted(self.counts.keys() | asked)
        self.place = {word: at for at, word in enumerate(words)}
        self.vectors = model.encode(words)

    def _rarity(self, words: list[str]) -> np.ndarray:
        total = len(self.texts)
        return np.array([math.log(1 + (total - self.counts[word] + 0.5) / (self.counts[word] + 0.5)) for word in words])

    def scores(self, query: dict) -> np.ndarray:
        scores = np.array([hit["score"] for hit in query["hits"]])
        asked = list(dict.fromkeys(words_of(query["query"])))
        if len(asked) == 0 or len(scores) == 0:
            return scores
        weights = self._rarity(asked)
        vectors = self.vectors[[self.place[word] for word in asked]]
        meant = unit(weights @ vectors)
        near = vectors @ self.vectors.T
        scale = 1 if query["question"] else KEYWORDS
        for at, hit in enumerate(query["hits"]):
            words = self.texts[hit["id"]]
            if len(words) == 0 or scores[at] > PASTED:
                continue
            places = [self.place[word] for word in words]
            counts = np.sqrt(np.minimum(list(words.values()), 3))
            said = unit((self._rarity(list(words)) * counts) @ self.vectors[places])
            maxsim = weights @ near[:, places].max(1) / weights.sum()
            scores[at] += scale * (self.maxsim * maxsim + self.cosine * (meant @ said))
        return scores


def report(name: str, queries: list[dict], after: np.ndarray) -> None:
    before = np.array([rank_of(query, -np.arange(len(query["hits"]))) for query in queries])
    gains = (after < 5).astype(float) - (before < 5)
    samples = np.random.default_rng(1).integers(0, len(gains), (10_000, len(gains)))
    low, high = np.quantile(gains[samples].mean(1), [0.025, 0.975])
    show = lambda ranks: " ".join(f"{(ranks < most).mean():6.1%}" for most in (1, 5, 10))
    mrr = lambda ranks: np.where(ranks < 10, 1 / (1 + ranks), 0).mean()
    print(f"{name}: {len(queries)} queries, R@1 R@5 R@10 {show(before)} → {show(after)}", end=", ")
    print(f"MRR {mrr(before):.3f} → {mrr(after):.3f}, R@5 {gains.mean():+.1%} ({low:+.1%} to {high:+.1%})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("vectors")
    parser.add_argument("--maxsim", type=float, default=0.0)
    parser.add_argument("--cosine", type=float, default=0.8)
    parser.add_argument("files", nargs="+")
    given = parser.parse_args()
    model = StaticModel(given.model, load_int8(given.vectors))
    for file in given.files:
        queries = [json.loads(line) for line in open(file)]
        reranker = Reranker(model, queries, given.maxsim, given.cosine)
        report(file, queries, np.array([rank_of(query, reranker.scores(query)) for query in queries]))
