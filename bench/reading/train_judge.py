"""Trains the judge.  python -m bench.reading.train_judge data FOLDER DATA.npz, then … train DATA.npz judge.npz

FOLDER holds question sets in the format of SQuAD (`*.json`) and manuals (`*.html`). `data` cuts their pages into
passages as the product does and takes for each question the likeliest ones by words and static signal, those with the
answer among them; of manuals, questions are made from the names that they define and from words of their sentences.
`train` needs PyTorch and a graphics card (ten minutes): the packaged encoder, of which only a product of two thin
matrices beside each weight matrix is trained, and biases and normalisations. `--without SET` leaves a set out, for
cross-validation.
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

RANK, RATE, SECONDS = 32, 1e-3, 380.0
GROUPS, PAIRS = 64, 8  # questions of a step, and passages read for each
CANDIDATES, QUESTION, PASSAGE = 16, 48, 230  # passages of a question; tokens, as in embed/judge.py
_FORMS = ("What does {} do?", "{}", "How do I use {}?", "{} description", "what is {}")
_PARAGRAPHS = 25  # of a page
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_PARTS = ("qkv", "ao", "f1", "f2")

Asked = tuple[str, list[tuple[int, int]]]  # a question, and the spans that answer it; none if the page does not
Page = tuple[str, str, str, list[Asked]]  # set, title, text, questions


def squad(file: Path) -> Iterator[Page]:
    for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
        for begin in range(0, len(article["paragraphs"]), _PARAGRAPHS):
            text, asked = "", list[Asked]()
            for paragraph in article["paragraphs"][begin : begin + _PARAGRAPHS]:
                for one in paragraph["qas"]:
                    starts = [(len(text) + a["answer_start"], len(a["text"])) for a in one.get("answers", ())]
                    asked.append((one["question"].strip(), [(at, at + size) for at, size in starts]))
                text += paragraph["context"] + "\n\n"
            yield file.stem, article["title"].replace("_", " "), text, asked


def manuals(files: Sequence[Path]) -> Iterator[Page]:
    import anyio

    from bench.reading.names import defined, read

    dice = random.Random(7)
    pages = [page.read for page in anyio.run(read, files)]
    names = {page.name: [(name, spans) for name, spans in defined(page.text)] for page in pages}
    every = [name for found in names.values() for name, _ in found[:5]]
    for page in pages:
        found = dice.sample(names[page.name], min(14, len(names[page.name])))
        asked = [(dice.choice(_FORMS).format(name), spans) for name, spans in found]
        others = (name for name in dice.sample(every, min(6, len(every))) if name.lower() not in page.text.lower())
        asked += [(dice.choice(_FORMS).format(name), []) for name in others]
        yield "manuals", page.name, page.text, [*asked, *_keywords(page.text, dice)]


def _keywords(text: str, dice: random.Random) -> Iterator[Asked]:
    """Some words of a sentence, as people type them into a search."""
    from mcp_web.text.words import is_stop_word

    sentences = list(re.finditer(r"[A-Z][^.!?\n|]{50,260}[.!?]", text))
    for sentence in dice.sample(sentences, min(9, len(sentences))):
        words = [word for word in re.findall(r"[\w'./-]*\w", sentence[0]) if not is_stop_word(word.lower(), "en")]
        if len(words) >= 5:
            chosen = sorted(dice.sample(range(len(words)), dice.randint(3, min(6, len(words) - 1))))
            yield " ".join(words[at] for at in chosen), [sentence.span()]


def data(folder: Path, target: Path) -> None:
    """Tokens of all questions and passages, and for each question its passages with their labels."""
    from bench.reading.data import overlaps
    from mcp_web.embed import granite
    from mcp_web.embed.local import packaged_weights
    from mcp_web.index.page import prepare
    from mcp_web.index.rank import fused, order
    from mcp_web.read.passages import passages
    from mcp_web.text.headings import read_headings

    pack = granite.read(packaged_weights())
    encode = granite.tokenizer(pack.tokenizer).encode
    texts: dict[str, int] = {}
    groups: list[tuple[str, int, list[int], list[bool]]] = []
    files = sorted(folder.glob("*.json"))
    for name, _, text, asked in [*(one for file in files for one in squad(file)), *manuals([*folder.glob("*.html")])]:
        page = prepare(text, read_headings(text), passages)
        for question, spans in asked if len(page.passages) > 1 else ():
            holds = [any(overlaps(one.start, one.end, span) for span in spans) for one in page.passages]
            if spans and not any(holds):
                continue
            found = order(fused(page.evidence(question)))[:CANDIDATES]
            found += [at for at in np.flatnonzero(holds)[:3].tolist() if at not in found]
            numbers = [texts.setdefault(page.text(at), len(texts)) for at in found]
            groups.append((name, texts.setdefault(question, len(texts)), numbers, [holds[at] for at in found]))
    asked_texts = {question for _, question, _, _ in groups}
    tokens = [encode(text, (QUESTION if at in asked_texts else PASSAGE) + 2)[1:-1] for at, text in enumerate(texts)]
    weights: dict[str, Any] = {f"float {name}": values for name, values in pack.floats.items()}
    weights |= {f"codes {name}": one.codes for name, one in pack.codes.items()}
    weights |= {f"scales {name}": one.scales for name, one in pack.codes.items()}
    np.savez_compressed(
        target,
        sets=[name for name, *_ in groups],
        questions=[question for _, question, _, _ in groups],
        passages=np.concatenate([numbers for _, _, numbers, _ in groups]),
        holds=np.concatenate([holds for *_, holds in groups]),
        groups=np.cumsum([0, *(len(numbers) for _, _, numbers, _ in groups)]),
        tokens=np.concatenate([np.asarray(one, np.uint16) for one in tokens]),
        texts=np.cumsum([0, *map(len, tokens)]),
        **weights,
    )


def train(source: Path, target: Path, without: str = "") -> None:
    import torch  # type: ignore[import-not-found]  # not part of the environment: see the beginning
    from torch.nn import functional as f  # type: ignore[import-not-found]

    torch.manual_seed(0)
    dice = np.random.default_rng(0)
    given = dict(np.load(source))
    network = _network(given)
    trained = [one for one in network.values() if one.requires_grad]
    means = [one.detach().clone() for one in trained]  # running means of the weights: what is kept in the end
    optimiser = torch.optim.AdamW(trained, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    starts, holds, passages = given["groups"], given["holds"], given["passages"]
    usable = np.flatnonzero(given["sets"] != without)
    begun, step = time.monotonic(), 0
    while (share := (time.monotonic() - begun) / SECONDS) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (share + 1e-3) / 0.06) * (1 - share)
        pairs, labels = list[tuple[int, int]](), list[bool]()
        for at in dice.choice(usable, GROUPS, replace=False):
            own = np.arange(starts[at], starts[at + 1])
            yes, no = dice.permutation(own[holds[own]])[:2], own[~holds[own]]
            chosen = [*yes, *dice.permutation(no[:10])[:4], *dice.permutation(no[10:])[:1]]
            read = [passages[one] for one in chosen]
            read += dice.choice(passages, PAIRS - len(read)).tolist()  # of other pages
            pairs += [(given["questions"][at], one) for one in read]
            labels += [at_ < len(yes) for at_ in range(PAIRS)]
        odds = _run(network, given, pairs, dropout=0.1).view(GROUPS, PAIRS)
        label = torch.tensor(labels, device="cuda", dtype=torch.float32).view(GROUPS, PAIRS)
        answered = label.sum(1) > 0
        best = torch.logsumexp(odds.masked_fill(label == 0, -1e4), 1) - torch.logsumexp(odds, 1)
        each = f.binary_cross_entropy_with_logits(odds, label, weight=torch.where(label > 0, 2.0, 1.0))
        loss = each - best[answered].mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        step += 1
        with torch.no_grad():
            for mean, one in zip(means, trained, strict=True):
                mean.lerp_(one, 1 - min(0.998, step / (step + 20)))
        if step % 200 == 0:
            print(step, f"{share:.0%}", f"loss {float(loss):.3f}", flush=True)
    with torch.no_grad():
        for mean, one in zip(means, trained, strict=True):
            one.copy_(mean)
    kept = {name: one.detach().cpu().numpy() for name, one in network.items() if one.requires_grad}
    np.savez(target, **{n: v.astype(np.float32 if n.startswith("head") else np.float16) for n, v in kept.items()})


def _network(given: dict[str, Any]) -> dict[str, Any]:
    """The weights by their names in judge.npz; those of the encoder's matrices, which stay as they are, end in ".w"."""
    import torch

    found = {}
    for kind, _, name in (name.partition(" ") for name in given):
        if kind == "float":
            trained = name not in ("pos_emb", "type_emb")
            found[name] = torch.tensor(given[f"float {name}"], device="cuda", requires_grad=trained)
        elif kind == "codes":
            codes, scales = given[f"codes {name}"], given[f"scales {name}"]
            matrix = codes.reshape(*scales.shape, -1) * scales[:, :, None]
            found[name] = torch.tensor(matrix.reshape(codes.shape), device="cuda")
    for name in (f"l{layer}.{part}" for layer in range(_LAYERS) for part in _PARTS):
        rows, columns = found[name + ".w"].shape
        down = torch.randn(RANK, columns, device="cuda") / math.sqrt(columns)
        found |= {
            name + ".down": down.requires_grad_(),
            name + ".up": torch.zeros(rows, RANK, device="cuda").requires_grad_(),
        }
    head = torch.randn(_WIDTH, device="cuda") * 0.02
    return found | {"head.w": head.requires_grad_(), "head.b": torch.zeros(1, device="cuda").requires_grad_()}


def _run(network: dict[str, Any], given: dict[str, Any], pairs: Sequence[tuple[int, int]], dropout: float) -> Any:
    """The log-odds of pairs of a question and a passage, by the numbers of their texts."""
    import torch
    from torch.nn import functional as f

    def tokens(text: int) -> list[int]:
        return given["tokens"][given["texts"][text] : given["texts"][text + 1]].tolist()  # type: ignore[no-any-return]

    coded = [[0, *tokens(question)[:QUESTION], 2, 2, *tokens(passage)[:PASSAGE], 2] for question, passage in pairs]
    longest = max(map(len, coded))
    ids = torch.tensor([[*one, *[2] * (longest - len(one))] for one in coded], device="cuda")
    is_text = torch.arange(longest, device="cuda") < torch.tensor([*map(len, coded)], device="cuda")[:, None]

    def linear(state: Any, name: str) -> Any:
        thin = f.linear(f.linear(state, network[name + ".down"]), network[name + ".up"])
        return f.linear(state, network[name + ".w"], network[name + ".b"]) + thin

    def normalised(state: Any, name: str) -> Any:
        return f.layer_norm(state.float(), (_WIDTH,), network[name + ".w"], network[name + ".b"], 1e-12)

    with torch.autocast("cuda", torch.bfloat16):
        state = network["word_emb"][ids] + network["pos_emb"][2 : 2 + longest] + network["type_emb"][0]
        state = f.dropout(normalised(state, "emb_ln"), dropout)
        for layer in (f"l{number}." for number in range(_LAYERS)):
            mixed = linear(state, layer + "qkv").view(len(pairs), longest, 3, _HEADS, -1).permute(2, 0, 3, 1, 4)
            seen = f.scaled_dot_product_attention(*mixed, attn_mask=is_text[:, None, None], dropout_p=dropout)
            seen = linear(seen.transpose(1, 2).reshape(len(pairs), longest, _WIDTH), layer + "ao")
            state = normalised(state + f.dropout(seen, dropout), layer + "aln")
            inner = linear(f.gelu(linear(state, layer + "f1"), approximate="tanh"), layer + "f2")
            state = normalised(state + f.dropout(inner, dropout), layer + "fln")
    return state[:, 0].float() @ network["head.w"] + network["head.b"]


def main() -> None:
    match sys.argv[1:]:
        case ["data", folder, target]:
            data(Path(folder), Path(target))
        case ["train", source, target, *rest]:
            train(Path(source), Path(target), rest[-1] if rest[:-1] == ["--without"] else "")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
