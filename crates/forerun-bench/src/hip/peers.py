# The rival of the bench `hip`: FCL, by python-fcl, told line by line what to do.
#
# A line "load" has it read the files `moving` and `still` (triangles) and `rotations` (matrices), 64-bit numbers all;
# "run" is answered with the milliseconds of all rotations, "idle" with what the same calls take for two triangles far
# apart, "answers" with a digit a rotation. Trees are FCL's default for meshes, transforms are made beforehand, and a
# test ends with its first contact.
import sys
import time
from importlib.metadata import version

import fcl
import numpy

print(version("python-fcl"), flush=True)


def body(triangles):
    corners, places = numpy.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    model = fcl.BVHModel()
    model.beginModel(len(corners), len(triangles))
    model.addSubModel(corners, places.reshape(-1, 3))
    model.endModel()
    return fcl.CollisionObject(model)


def run(moving, still):
    collide, request, result = fcl.collide, fcl.CollisionRequest(1, False), fcl.CollisionResult
    answers = []
    begun = time.perf_counter()
    for transform in transforms:
        moving.setTransform(transform)
        answers.append(collide(moving, still, request, result()))
    return (time.perf_counter() - begun) * 1e3, answers


flat = numpy.array([[[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]])
for line in sys.stdin:
    act = line.strip()
    if act == "load":
        moving, still = (body(numpy.fromfile(name).reshape(-1, 3, 3)) for name in ("moving", "still"))
        transforms = [fcl.Transform(r, numpy.zeros(3)) for r in numpy.fromfile("rotations").reshape(-1, 3, 3)]
        print(len(transforms), flush=True)
    elif act == "idle":
        print(run(body(flat), body(flat + 100.0))[0], flush=True)
    elif act == "run":
        taken, answers = run(moving, still)
        print(taken, flush=True)
    else:
        print("".join("1" if answer else "0" for answer in answers), flush=True)
