"""What plyfile, NumPy, pandas, trimesh and VTK write, the programs read, and the other way around.

Usage: round_trips.py FOLDER UPSWEEP_CULL UPSWEEP_SORT. Makes a virtual environment in the folder, and stops with 77 where its packages
are not available. VTK takes part with UPSWEEP_TEST_VTK=1 in the environment.
"""

import gzip
import importlib.util
import os
import subprocess
import sys

PACKAGES = ["numpy", "pandas", "plyfile", "trimesh"]
# Some 100 MB, which no test run fetches unasked.
if os.environ.get("UPSWEEP_TEST_VTK"):
    PACKAGES.append("vtk")


def enter_environment(folder):
    """Runs this script again by a Python that has the packages."""
    python = os.path.join(folder, "venv", "bin", "python")
    done = os.path.join(folder, "venv", "done")
    has = open(done).read().split() if os.path.exists(done) else []
    if not set(PACKAGES) <= set(has):
        try:
            subprocess.run([sys.executable, "-m", "venv", os.path.join(folder, "venv")], check=True)
            subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "15", "--retries", "1",
                            *PACKAGES], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"skipped: no virtual environment with {', '.join(PACKAGES)}: {error}")
            sys.exit(77)
        with open(done, "w") as file:
            file.write(" ".join(PACKAGES))
    os.execv(python, [python, *sys.argv, "--inside"])


def main():
    folder, cull, sort = (os.path.abspath(path) for path in sys.argv[1:4])
    os.makedirs(folder, exist_ok=True)
    if "--inside" not in sys.argv:
        enter_environment(folder)
    os.chdir(folder)

    import numpy as np
    import pandas as pd
    import plyfile
    import trimesh

    def run(program, *flags):
        subprocess.run([program, "--device", "sim", "--verify", "--quiet", *flags], check=True)

    random = np.random.default_rng(1)
    n = 3000
    vertex = np.zeros(n, dtype=[("x", "f4"), ("y", "f8"), ("z", "f4"), ("label", "u1"), ("id", "i4")])
    for name in "xyz":
        vertex[name] = random.normal(size=n)
    vertex["label"] = random.integers(0, 5, n)
    vertex["id"] = np.arange(n)
    kept = (vertex["label"] == 2) & (vertex["y"] > -1)
    rule = ["--where", "label == 2 && y > -1"]

    # plyfile: every encoding; faces by the vertices that are left.
    faces = random.integers(0, n, (4 * n, 3)).astype("i4")
    faces = np.vstack([faces, np.flatnonzero(kept)[:300].reshape(-1, 3)]).astype("i4")
    face = np.empty(len(faces), dtype=[("vertex_indices", "i4", (3,)), ("red", "u1")])
    face["vertex_indices"], face["red"] = faces, np.arange(len(faces)) % 200
    stays = kept[faces].all(axis=1)
    new_index = np.cumsum(kept) - 1
    for text, order in [(True, "="), (False, "<"), (False, ">")]:
        elements = [plyfile.PlyElement.describe(vertex, "vertex"), plyfile.PlyElement.describe(face, "face")]
        plyfile.PlyData(elements, text=text, byte_order=order).write("in.ply")
        run(cull, "--input", "in.ply", "--output", "out.ply.zst", *rule)
        run(cull, "--input", "out.ply.zst", "--output", "out.ply", "--where", "1")
        out = plyfile.PlyData.read("out.ply")
        for name in vertex.dtype.names:
            assert np.array_equal(out["vertex"][name], vertex[name][kept]), (order, name)
        assert np.array_equal(np.vstack(out["face"]["vertex_indices"]), new_index[faces[stays]]), order
        assert np.array_equal(out["face"]["red"], face["red"][stays]), order
    run(sort, "--input", "in.ply", "--output", "sorted.ply", "--by", "label,x:descending")
    places = np.lexsort([-vertex["x"], vertex["label"]])
    out = plyfile.PlyData.read("sorted.ply")
    assert np.array_equal(out["vertex"]["id"], places)
    moved = np.vstack(out["face"]["vertex_indices"])
    assert np.array_equal(out["vertex"]["id"][moved], faces)

    # trimesh: a mesh of which a half is cut off is a mesh.
    ball = trimesh.creation.icosphere(subdivisions=3)
    ball.export("ball.ply")
    run(cull, "--input", "ball.ply", "--output", "half.ply", "--where", "z >= 0")
    half = trimesh.load("half.ply", process=False)
    upper = ball.vertices[:, 2].astype("f4") >= 0
    assert len(half.vertices) == upper.sum()
    assert len(half.faces) == upper[ball.faces].all(axis=1).sum()
    assert np.allclose(half.triangles.reshape(-1, 9), ball.triangles[upper[ball.faces].all(axis=1)].reshape(-1, 9), atol=1e-6)

    # NumPy: structures and tables of every order.
    np.save("in.npy", vertex)
    run(cull, "--input", "in.npy", "--output", "out.npy", *rule, "--export-mask", "mask.npy", "--export-indices", "indices.npy")
    assert np.array_equal(np.load("out.npy"), vertex[kept]) and np.load("out.npy").dtype == vertex.dtype
    assert np.array_equal(np.load("mask.npy"), kept) and np.load("mask.npy").dtype == bool
    assert np.array_equal(np.load("indices.npy"), np.flatnonzero(kept))
    table = random.normal(size=(n, 5))
    for order in ["<f4", ">f4", "<f8", ">f8"]:
        for layout in "CF":
            np.save("in.npy", np.asarray(table.astype(order), order=layout))
            run(cull, "--input", "in.npy", "--output", "out.npy", "--where", "x < vy * 2")
            typed = table.astype(order)
            expected = typed[typed[:, 0].astype("f8") < typed[:, 4].astype("f8") * 2]
            assert np.array_equal(np.load("out.npy"), expected), order
    for keys in [random.integers(0, 2, n).astype(bool), random.integers(-9, 9, (n, 1)).astype(">i2"),
                 random.integers(0, 10**9, n).astype("M8[s]")]:
        np.save("in.npy", keys)
        run(sort, "--input", "in.npy", "--output", "out.npy")
        assert np.array_equal(np.load("out.npy"), np.sort(keys.ravel())), keys.dtype
        assert np.load("out.npy").dtype == keys.dtype.newbyteorder("="), keys.dtype

    # NumPy: archives, both kinds; arrays of other lengths stay.
    arrays = {"x": vertex["x"], "pos": np.asfortranarray(table[:, :3]), "label": vertex["label"], "rows": vertex, "when": np.float64(2.5),
              "names": np.array(["a", "bc"] * (n // 2)), "bounds": table[:2]}
    for save in [np.savez, np.savez_compressed]:
        save("in.npz", **arrays)
        run(cull, "--input", "in.npz", "--output", "out.npz", "--where", "label == 2 && pos_1 > 0")
        kept_rows = (vertex["label"] == 2) & (table[:, 1] > 0)
        with np.load("out.npz") as out:
            for name, array in arrays.items():
                expected = array[kept_rows] if np.shape(array)[:1] == (n,) else array
                assert np.array_equal(out[name], expected) and out[name].dtype == array.dtype, name
        run(sort, "--input", "in.npz", "--output", "out.npz", "--by", "label,rows.y:descending")
        with np.load("out.npz") as out:
            assert np.array_equal(out["rows"], vertex[np.lexsort([-vertex["y"], vertex["label"]])])

    # pandas: quoted texts, gaps, whole numbers beyond 2^53.
    frame = pd.DataFrame({"name": [f'a, "{i}"\nb' for i in range(n)], "big": np.arange(n) + 2**60, "gap": vertex["y"],
                          "label": vertex["label"]})
    frame.loc[::7, "gap"] = np.nan
    for separator, path in [(",", "in.csv"), ("\t", "in.tsv"), (";", "in.csv.gz")]:
        frame.to_csv(path, index=False, sep=separator)
        out_path = path.replace("in", "out")
        run(cull, "--input", path, "--output", out_path, "--where", f"gap > 0.25 && big != {2**60 + 5} || label == 1")
        expected = frame[(frame.gap > 0.25) & (frame.big != 2**60 + 5) | (frame.label == 1)].reset_index(drop=True)
        pd.testing.assert_frame_equal(pd.read_csv(out_path, sep=separator, dtype=dict(frame.dtypes)), expected)
        run(sort, "--input", path, "--output", out_path, "--by", "label:descending,gap")
        got = pd.read_csv(out_path, sep=separator, dtype=dict(frame.dtypes))
        expected = frame.sort_values(["label", "gap"], ascending=[False, True], kind="stable").reset_index(drop=True)
        pd.testing.assert_frame_equal(got, expected)
    assert gzip.open("out.csv.gz").read(4) == b"name"
    told = vtk_round_trip(run, cull, vertex["x"]) if has_vtk() else "; without VTK, which is no part of this environment"
    print(f"all as they were{told}")


def has_vtk():
    return importlib.util.find_spec("vtk") is not None


def vtk_round_trip(run, cull, x):
    """A cloud with a property that VTK writes as PLY, and reads again."""
    import numpy as np
    import vtk
    from vtk.util import numpy_support

    points = vtk.vtkPoints()
    coordinates = np.column_stack([x, 2 * x, -x]).astype("f4")
    points.SetData(numpy_support.numpy_to_vtk(coordinates, deep=True))
    cloud = vtk.vtkPolyData()
    cloud.SetPoints(points)
    vertices = vtk.vtkVertexGlyphFilter()
    vertices.SetInputData(cloud)
    for binary in [True, False]:
        writer = vtk.vtkPLYWriter()
        writer.SetInputConnection(vertices.GetOutputPort())
        writer.SetFileName("vtk.ply")
        writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
        writer.Write()
        run(cull, "--input", "vtk.ply", "--output", "vtk_out.ply", "--where", "x > 0.5")
        reader = vtk.vtkPLYReader()
        reader.SetFileName("vtk_out.ply")
        reader.Update()
        got = numpy_support.vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
        expected = coordinates[coordinates[:, 0] > 0.5]
        assert np.allclose(got, expected, atol=0 if binary else 1e-5), binary
    return "; VTK too"


main()
