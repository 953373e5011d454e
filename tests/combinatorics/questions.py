"""One question about one matrix, asked of `littlestone.combinatorics.Kernel`."""

import numpy as np

from littlestone.combinatorics import Kernel


def littlestone_dim(matrix, **options):
    return Kernel(matrix, **options).ldim()


def mistake_tree(matrix, **options):
    return Kernel(matrix, **options).mistake_tree()


def vc_dim(matrix, **options):
    return Kernel(matrix, **options).vc_dim()


def shattered_set(matrix, **options):
    return Kernel(matrix, **options).shattered_set()


def threshold_dim(matrix, **options):
    return Kernel(matrix, **options).threshold_dim()


def threshold_sequence(matrix, **options):
    return Kernel(matrix, **options).threshold_sequence()


def soa_labels(matrix, **options):
    kernel = Kernel(matrix, **options)
    return kernel.labels(kernel.soa())


def reducibility(matrix, *, cap=None, **options):
    return Kernel(matrix, **options).reducibility(cap=cap)


def decomposition_dim(matrix, p, d, **options):
    return Kernel(matrix, **options).ddim(None, p, d)


def decomposition_tree(matrix, p, d, **options):
    return Kernel(matrix, **options).decomposition(None, p, d)


def essential_hypotheses(matrix, p, d, **options):
    kernel = Kernel(matrix, **options)
    found = [kernel.labels(f) for f in kernel.essential(None, p, d)]
    return np.array(found, dtype=np.int8).reshape(-1, kernel.matrix.n_points)
