# SPDX-License-Identifier: Apache-2.0
"""Latencies of graphtune, ONNX Runtime and ncnn, side by side, in one process: benchmarks/peers.sh calls it.

usage: peers.py LIBGRAPHTUNE-RT TURNS FOLDER NETWORK...

FOLDER has NETWORK.onnx, NETWORK.plan.json and NETWORK.gtb, and NETWORK.ncnn.param and .bin where ncnn can take the network.
Every engine has one thread, fp32 and its own optimisations. The engines take turns of 60 ms at least, each after one run that
is not timed, and nobody always follows the same neighbour; a ratio is the median over the turns. Outputs are compared first: an
engine that computes something else is no competitor. The last column is the plan's predicted latency over the measured one.
"""
import ctypes
import json
import math
import os
import statistics
import sys
import time

import numpy
import onnxruntime

try:
    import ncnn
except ImportError:
    ncnn = None

TURN_SECONDS = 0.06
MAX_RANK = 8


class Port(ctypes.Structure):  # gt_port of graphtune/runtime.h
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_int), ("dim", ctypes.c_int64 * MAX_RANK),
                ("layout", ctypes.c_char_p), ("bytes", ctypes.c_size_t), ("data", ctypes.c_void_p)]


class Graphtune:
    name = "graphtune"

    def __init__(self, library, path):
        self.rt = ctypes.CDLL(library)
        self.rt.gt_error_message.restype = ctypes.c_char_p
        bundle = ctypes.c_void_p()
        self.deployment = ctypes.c_void_p()
        self.check(self.rt.gt_bundle_open(ctypes.byref(bundle), path.encode()))
        self.check(self.rt.gt_deployment_create(ctypes.byref(self.deployment), bundle, 1))
        self.rt.gt_bundle_close(bundle)
        self.run_function = self.rt.gt_deployment_run
        self.run_function.argtypes = [ctypes.c_void_p]
        self.run_function.restype = None

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.rt.gt_error_message().decode())

    def array(self, describe):
        port = Port()
        self.check(describe(self.deployment, 0, ctypes.byref(port)))
        shape = tuple(port.dim[:port.rank])
        memory = (ctypes.c_float * (port.bytes // 4)).from_address(port.data)
        return numpy.frombuffer(memory, dtype=numpy.float32).reshape(shape)

    def set_input(self, x):
        self.array(self.rt.gt_deployment_input)[...] = x

    def run(self):
        self.run_function(self.deployment)

    def output(self):
        return self.array(self.rt.gt_deployment_output).copy()


class OnnxRuntime:
    name = "ONNX Runtime"

    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()[:1]]

    def set_input(self, x):
        self.feed = {self.session.get_inputs()[0].name: x}

    def run(self):
        self.result = self.session.run(self.names, self.feed)

    def output(self):
        return self.result[0]


class Ncnn:
    name = "ncnn"

    def __init__(self, path):
        self.net = ncnn.Net()
        self.net.opt.num_threads = 1
        self.net.opt.use_fp16_packed = self.net.opt.use_fp16_storage = self.net.opt.use_fp16_arithmetic = False
        self.net.opt.use_bf16_storage = False
        if self.net.load_param(path + ".param") != 0 or self.net.load_model(path + ".bin") != 0:
            raise RuntimeError(path + ": ncnn does not load it")

    def set_input(self, x):
        self.input = ncnn.Mat(numpy.ascontiguousarray(x[0]))

    def run(self):
        extractor = self.net.create_extractor()
        extractor.input("in0", self.input)
        self.status, self.mat = extractor.extract("out0")

    def output(self):
        return numpy.array(self.mat)


def take_turn(engine):
    """The median of the runs of one turn, in ms."""
    engine.run()
    times = []
    begin = time.perf_counter()
    while not times or time.perf_counter() - begin < TURN_SECONDS:
        start = time.perf_counter()
        engine.run()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def difference(engine, wanted):
    """The largest difference from the wanted output, as a part of its largest value."""
    engine.run()
    got = engine.output().reshape(-1)
    return numpy.abs(got - wanted).max() / numpy.abs(wanted).max() if got.shape == wanted.shape else math.inf


def open_engines(library, folder, network):
    engines = [Graphtune(library, f"{folder}/{network}.gtb"), OnnxRuntime(f"{folder}/{network}.onnx")]
    if ncnn is not None and os.path.exists(f"{folder}/{network}.ncnn.param"):
        engines.append(Ncnn(f"{folder}/{network}.ncnn"))
    return engines


def compare(library, turns, folder, network):
    """Medians in ms and ratios (graphtune over the other) by engine name."""
    engines = open_engines(library, folder, network)
    shape = engines[0].array(engines[0].rt.gt_deployment_input).shape
    x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)
    for engine in engines:
        engine.set_input(x)
    engines[1].run()
    wanted = engines[1].output().reshape(-1)
    for engine in list(engines):
        away = difference(engine, wanted)
        if engine.name == "graphtune" and away > 1e-3:
            raise RuntimeError(f"{network}: graphtune's output is {away:.2g} away from ONNX Runtime's")
        if away > 1e-2:  # ncnn's Winograd is less exact than ours
            print(f"{network}: {engine.name} is left out, its output is {away:.2g} away", file=sys.stderr)
            engines.remove(engine)
    medians = {engine.name: [] for engine in engines}
    for turn in range(turns):
        for i in range(len(engines)):
            engine = engines[(i + turn) % len(engines)]
            medians[engine.name].append(take_turn(engine))
    ours = medians["graphtune"]
    return {name: (statistics.median(list_), statistics.median(a / b for a, b in zip(ours, list_)))
            for name, list_ in medians.items()}


def predicted_ms(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["result"]["predicted_ns"] / 1e6


def main():
    library, turns, folder, networks = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    ratios = {"ONNX Runtime": [], "ncnn": []}
    away = []
    print(f"One thread, fp32, medians of {turns} interleaved turns in ms; ONNX Runtime {onnxruntime.__version__}"
          + (f", ncnn {ncnn.__version__}" if ncnn is not None else "; ncnn is not installed"))
    print(f"{'network':20} {'graphtune':>10} {'ORT':>10} {'ncnn':>10} {'x ORT':>8} {'x ncnn':>8} {'predicted':>10}")
    for network in networks:
        result = compare(library, turns, folder, network)
        predicted = predicted_ms(f"{folder}/{network}.plan.json") / result["graphtune"][0]
        away.append(abs(predicted - 1))
        cells = [result.get(name) for name in ("ONNX Runtime", "ncnn")]
        for name, cell in zip(ratios, cells):
            if cell is not None:
                ratios[name].append(cell[1])
        print(f"{network:20} {result['graphtune'][0]:10.3f} " + " ".join(f"{c[0]:10.3f}" if c else f"{'-':>10}" for c in cells)
              + " " + " ".join(f"{c[1]:8.3f}" if c else f"{'-':>8}" for c in cells) + f" {predicted:10.3f}", flush=True)
    for name, list_ in ratios.items():
        if list_:
            mean = math.exp(sum(map(math.log, list_)) / len(list_))
            print(f"against {name + ':':14} x {mean:.3f}, geometric mean over {len(list_)} networks")
    print(f"predicted:             {100 * statistics.median(away):.1f} % away from measured (median), {100 * max(away):.1f} % (worst)")


main()
