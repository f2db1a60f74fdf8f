"""measure_classes.py TYPE...: what the classes of transformers have, one line of JSON per type and variant, from which
classes_of_transformers.json was made: the config, the number of parameters, the numbers in the KV cache after a pass
over 160 tokens (with W tokens in layers with a sliding window, where the class keeps W − 1), and those in the keys of
indexers. Nothing is allocated: models are on the meta device. Requires transformers and torch."""
import json
import sys

import torch
from transformers import AutoModelForCausalLM, DynamicCache
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

TOKENS = 160


def variants(config):
    yield {}
    if getattr(config, "sliding_window", None) is not None:
        yield {"sliding_window": 96}
    if hasattr(config, "sliding_window"):
        yield {"sliding_window": 64}
        yield {"sliding_window": 64, "use_sliding_window": True, "max_window_layers": 2}
        yield {"sliding_window": 64, "use_sliding_window": False}
    for key, value in {"num_key_value_heads": 2, "num_kv_shared_layers": 3}.items():
        if hasattr(config, key):
            yield {key: value}
    for key, value in vars(config).items():
        if isinstance(value, bool) and ("bias" in key or "tie" in key or "qk_norm" in key or key == "multi_query"):
            yield {key: not value}


def cached(layer):
    """Numbers in the KV cache of a layer, and in the keys of its indexer."""
    window = getattr(layer, "sliding_window", None)
    shares_values = layer.keys is layer.values
    numbers = 0
    for tensor in [layer.keys] if shares_values else [layer.keys, layer.values]:
        if torch.is_tensor(tensor):
            is_cut = window and tensor.shape[-2] == window - 1 and window <= TOKENS
            numbers += tensor.numel() // (window - 1) * window if is_cut else tensor.numel()
    index = getattr(layer, "indexer_keys", None)
    index = index.numel() if torch.is_tensor(index) else 0
    for name, tensor in (getattr(layer, "compressed_kv", None) or {}).items():
        if torch.is_tensor(tensor) and name == "indexer":
            index += tensor.numel()
        elif torch.is_tensor(tensor):
            numbers += tensor.numel()
    return numbers, index


def measure(config):
    result = {"config": json.loads(config.to_json_string())}
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config).eval()
    result["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    for module in model.modules():  # experts choose rows by their values, which a model on this device lacks
        if type(module).__name__.endswith("Experts"):
            module.forward = lambda hidden_states, *a, **k: torch.empty_like(hidden_states)
    cache = DynamicCache(config=config)
    tokens = torch.zeros(1, TOKENS, dtype=torch.long, device="meta")
    try:
        with torch.no_grad():
            model(input_ids=tokens, use_cache=True, past_key_values=cache)
    except Exception as error:
        return result | {"no_cache": repr(error)[:200]}
    layers = [cached(layer) for layer in cache.layers if hasattr(layer, "keys")]
    return result | {"cache": sum(numbers for numbers, _ in layers), "index": sum(index for _, index in layers)}


for name in sys.argv[1:]:
    config_class = CONFIG_MAPPING[name]
    for changes in variants(config_class()):
        try:
            print(json.dumps({"set": changes} | measure(config_class(num_hidden_layers=12, **changes))), flush=True)
        except Exception as error:
            print(json.dumps({"type": name, "set": changes, "error": repr(error)[:200]}), flush=True)
