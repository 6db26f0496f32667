"""Fields in files of VTK, read back by VTK and by a parser that knows the format only."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import weft
import weft.dns as dns
from dns_on_ranks import VTK_LENGTHS, run_with_images, vtk_scalar, vtk_simulation, vtk_velocity

if TYPE_CHECKING:
    from pool import Pool

pytestmark = pytest.mark.skipif(
    not weft.running_available(), reason="simulations need weft's extension module over MPI"
)

SHAPE = (12, 8, 10)
MARK = b'<AppendedData encoding="raw">'
IMAGES = [f"run-{step:08d}.vti" for step in range(3)]


class Image:
    """A .vti file: its attributes, and its arrays with the axes z, y, x and components."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        head, rest = content.split(MARK, 1)
        self.root = ElementTree.fromstring(head + b"</VTKFile>")
        self.image = self.root.find("ImageData")
        assert self.image is not None
        self.time = float(self.image.find("FieldData/DataArray").text)
        self.extent = [int(word) for word in self.image.get("WholeExtent").split()]
        assert self.image.find("Piece").get("Extent") == self.image.get("WholeExtent")
        data = rest[rest.index(b"_") + 1 :]
        shape = [hi - lo + 1 for lo, hi in zip(self.extent[0::2], self.extent[1::2], strict=True)]
        self.arrays, end = {}, 0
        for entry in self.image.findall("Piece/PointData/DataArray"):
            assert entry.get("format") == "appended"
            assert int(entry.get("offset")) == end  # no gaps
            dtype = {"Float32": np.dtype("<f4"), "Float64": np.dtype("<f8")}[entry.get("type")]
            components = int(entry.get("NumberOfComponents"))
            count = int.from_bytes(data[end : end + 8], "little")
            assert count == np.prod(shape) * components * dtype.itemsize
            values = np.frombuffer(data[end + 8 : end + 8 + count], dtype)
            self.arrays[entry.get("Name")] = values.reshape([*shape[::-1], components])
            end += 8 + count
        assert data[end:].split() == [b"</AppendedData>", b"</VTKFile>"]


def positions(shape: Any, index: Any) -> list[float]:
    return [i * length / n for i, n, length in zip(index, shape, VTK_LENGTHS, strict=True)]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("ranks", "shape", "dtype", "dealias"),
    [
        (1, SHAPE, None, "2/3"),
        (2, SHAPE, "float32", "2/3"),
        (3, SHAPE, None, "3/2"),
        (5, (12, 8, 4), "float32", "2/3"),  # a rank without planes
    ],
)
def test_ranks_write_one_file_for_each_time(
    tmp_path: Path, pool: Pool, ranks: int, shape: Any, dtype: str | None, dealias: str
) -> None:
    path = str(tmp_path / "run.vti")
    pool.values("dns_on_ranks.run_with_images", ranks, path=path, shape=shape, dtype=dtype, dealias=dealias)
    assert [name for name in names_in(tmp_path) if not name.endswith(".npy")] == [*IMAGES, "run.pvd"]
    for step in range(3):
        image = Image(tmp_path / IMAGES[step])
        assert image.time == pytest.approx(0.05 * step)
        assert list(image.arrays) == ["velocity", "theta"]
        fields = [*np.moveaxis(image.arrays["velocity"], -1, 0), image.arrays["theta"][..., 0]]
        for name, field in zip(("u", "v", "w", "theta"), fields, strict=True):
            wanted = np.load(tmp_path / f"run-{step:08d}-{name}.npy")
            assert field.dtype == wanted.dtype == np.dtype(dtype or "float64")
            np.testing.assert_array_equal(field.transpose(2, 1, 0), wanted)
    first = Image(tmp_path / IMAGES[0])
    tolerance = 1e-6 if dtype == "float32" else 1e-13
    for i, j, k in ((0, 0, 0), (11, 0, 0), (0, 7, 0), (0, 0, 3), (5, 2, 1), (11, 7, 3)):
        at = positions(shape, (i, j, k))
        assert first.arrays["velocity"][k, j, i] == pytest.approx(np.array(vtk_velocity(*at)), abs=tolerance)
        assert first.arrays["theta"][k, j, i, 0] == pytest.approx(vtk_scalar(*at), abs=4 * tolerance)


def test_the_header_has_the_type_and_the_geometry(tmp_path: Path) -> None:
    run_with_images(None, str(tmp_path / "run.vti"), SHAPE)
    image = Image(tmp_path / IMAGES[0])
    assert image.root.attrib == {
        "type": "ImageData",
        "version": "1.0",
        "byte_order": "LittleEndian",
        "header_type": "UInt64",
    }
    assert image.extent == [0, 11, 0, 7, 0, 9]
    assert [float(word) for word in image.image.get("Origin").split()] == [0, 0, 0]
    assert [float(word) for word in image.image.get("Spacing").split()] == [3 / 12, 2 / 8, 2.5 / 10]


def test_the_collection_lists_files_and_times(tmp_path: Path) -> None:
    run_with_images(None, str(tmp_path / "run.vti"), SHAPE)
    root = ElementTree.parse(tmp_path / "run.pvd").getroot()
    assert root.get("type") == "Collection"
    entries = root.findall("Collection/DataSet")
    assert [entry.get("file") for entry in entries] == IMAGES
    assert [float(entry.get("timestep")) for entry in entries] == pytest.approx([0, 0.05, 0.1])


def test_an_image_may_have_a_part_of_the_fields(tmp_path: Path) -> None:
    sim = vtk_simulation(None, dtype="float32")
    sim.every(
        time=1,
        do=[dns.fields(tmp_path / "a.vti", ["theta", "w", "u"]), dns.fields(tmp_path / "b.vti", ["w", "u", "v"])],
    )
    sim.every(time=1, do=dns.fields(tmp_path / "c.vti", ["w"], dtype="float64"))
    sim.run(until=0.01, dt=0.01)
    arrays = {name: Image(tmp_path / f"{name}-00000000.vti").arrays for name in "abc"}
    assert [list(arrays[name]) for name in "abc"] == [["u", "w", "theta"], ["velocity"], ["w"]]
    assert [arrays[name]["w"].dtype for name in "ac"] == [np.float32, np.float64]
    np.testing.assert_array_equal(arrays["a"]["w"][..., 0], arrays["b"]["velocity"][..., 2])
    np.testing.assert_array_equal(arrays["a"]["w"], arrays["c"]["w"])


@pytest.mark.parametrize(("ranks", "dtype"), [(1, "float32"), (3, None)])
def test_vtk_reads_the_file(tmp_path: Path, pool: Pool, ranks: int, dtype: str | None) -> None:
    io = pytest.importorskip("vtkmodules.vtkIOXML", reason="VTK's own reader needs the package vtk")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    path = str(tmp_path / "run.vti")
    pool.values("dns_on_ranks.run_with_images", ranks, path=path, shape=SHAPE, dtype=dtype)
    reader = io.vtkXMLImageDataReader()
    reader.SetFileName(str(tmp_path / IMAGES[0]))
    reader.Update()
    assert reader.GetErrorCode() == 0
    image = reader.GetOutput()
    assert image.GetDimensions() == SHAPE
    assert image.GetBounds() == pytest.approx((0, 3 - 3 / 12, 0, 2 - 2 / 8, 0, 2.5 - 2.5 / 10))
    assert image.GetFieldData().GetArray("TimeValue").GetValue(0) == 0
    velocity, theta = (vtk_to_numpy(image.GetPointData().GetArray(name)) for name in ("velocity", "theta"))
    assert velocity.dtype == theta.dtype == np.dtype(dtype or "float64")
    x, y, z = np.array([image.GetPoint(point) for point in range(image.GetNumberOfPoints())]).T
    tolerance = 1e-6 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(velocity, np.transpose(vtk_velocity(x, y, z)), atol=tolerance)
    np.testing.assert_allclose(theta, vtk_scalar(x, y, z), atol=4 * tolerance)


@pytest.mark.parametrize("at", [0, 2])
def test_a_full_disk_is_an_error_on_all_ranks(tmp_path: Path, pool: Pool, at: int) -> None:
    path = tmp_path / IMAGES[0]
    path.write_bytes(b"older")
    outcomes = pool.outcomes("dns_on_ranks.image_on_a_full_disk", 3, path=str(tmp_path / "run.vti"), at=at)
    assert [outcome.raised for outcome in outcomes] == ["IoFailure"] * 3
    assert all("No space left on device" in outcome.message for outcome in outcomes)
    assert names_in(tmp_path) == [IMAGES[0]]
    assert path.read_bytes() == b"older"


def test_a_missing_folder_is_an_error_on_all_ranks(tmp_path: Path, pool: Pool) -> None:
    path = str(tmp_path / "no" / "run.vti")
    outcomes = pool.outcomes("dns_on_ranks.run_with_images", 3, path=path, shape=SHAPE)
    assert [outcome.raised for outcome in outcomes] == ["IoFailure"] * 3
    assert all("the folder of an output must exist" in outcome.message for outcome in outcomes)
    assert names_in(tmp_path) == []


def test_a_collection_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "run.pvd").mkdir()
    with pytest.raises(weft.IoFailure, match=r"run\.pvd"):
        run_with_images(None, str(tmp_path / "run.vti"), SHAPE)
    assert names_in(tmp_path) == [IMAGES[0], "run.pvd"]


@pytest.mark.parametrize("dtype", ["complex64", "int32", ">f8", "nonsense", "f2"])
def test_wrong_types_are_refused(dtype: str) -> None:
    with pytest.raises(weft.InvalidArgument, match="the dtype of fields must be"):
        dns.fields("run.vti", dtype=dtype)


def test_a_scalar_named_velocity_excludes_the_vector(tmp_path: Path) -> None:
    sim = vtk_simulation(None, scalar="velocity")
    sim.every(steps=1, do=dns.fields(tmp_path / "part.vti", ["velocity", "u"]))
    sim.run(until=0.01, dt=0.01)
    assert list(Image(tmp_path / "part-00000000.vti").arrays) == ["u", "velocity"]
    sim.every(steps=1, do=dns.fields(tmp_path / "run.vti"))
    with pytest.raises(weft.InvalidArgument, match="must differ in name"):
        sim.run(until=0.02, dt=0.01)
