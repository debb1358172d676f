# Rivals of the bench `lsi`: told line by line what to do, they answer with milliseconds, or with singular values.
#
# scikit-learn's TruncatedSVD, by its randomized solver with what it takes by default (5 iterations) and with more, and by ARPACK.
import json
import sys
import time

import numpy
import sklearn
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

texts = json.load(open(sys.argv[1]))
matrix = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2).fit_transform(texts)
matrix.sort_indices()
matrix.indptr.astype("<i8").tofile("starts")
matrix.indices.astype("<i4").tofile("indices")
matrix.data.astype("<f8").tofile("values")
print(matrix.shape[1], sklearn.__version__, sep="\t", flush=True)

values = {}
for line in sys.stdin:
    act, algorithm, rank, iterations = line.strip().split("\t")
    name = algorithm, rank, iterations
    if act == "run":
        svd = TruncatedSVD(int(rank), algorithm=algorithm, n_iter=int(iterations), random_state=1)
        begun = time.perf_counter()
        svd.fit_transform(matrix)
        print((time.perf_counter() - begun) * 1e3, flush=True)
        values[name] = numpy.sort(svd.singular_values_)[::-1].tolist()
    else:
        print(json.dumps(values[name]), flush=True)
