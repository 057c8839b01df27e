"""Arrays from NumPy into the library and back by DLPack, without a copy. usage: dlpack_numpy.py LIBRARY"""

import ctypes
import gc
import sys

import numpy as np

INVALID_ARGUMENT = 3
TYPES = {
    "bool": 10, "int8": 6, "int16": 5, "int32": 3, "int64": 9, "uint8": 4, "uint16": 17, "uint32": 22, "uint64": 23,
    "float16": 19, "float32": 1, "float64": 2, "complex64": 8, "complex128": 18,
}
SHAPES = [(), (1,), (0,), (6,), (2, 3), (3, 0, 2), (1, 1, 4, 1), (2, 3, 4)]

tf = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi
P, S, I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int


def function(library, name, result, *args):
    f = getattr(library, name)
    f.restype, f.argtypes = result, args
    return f


new_status = function(tf, "TF_NewStatus", P)
get_code = function(tf, "TF_GetCode", I, P)
message = function(tf, "TF_Message", S, P)
new_options = function(tf, "TFE_NewContextOptions", P)
new_context = function(tf, "TFE_NewContext", P, P, P)
to_dlpack = function(tf, "TFE_HandleToDLPack", P, P, P)
from_dlpack = function(tf, "TFE_HandleFromDLPack", P, P, P, P)
call_deleter = function(tf, "TFE_CallDLManagedTensorDeleter", None, P)
device_pointer = function(tf, "TFE_TensorHandleDevicePointer", P, P, P)
data_type = function(tf, "TFE_TensorHandleDataType", I, P)
delete_handle = function(tf, "TFE_DeleteTensorHandle", None, P)
new_op = function(tf, "TFE_NewOp", P, P, S, P)
add_input = function(tf, "TFE_OpAddInput", None, P, P, P)
execute = function(tf, "TFE_Execute", None, P, ctypes.POINTER(P), ctypes.POINTER(I), P)
delete_op = function(tf, "TFE_DeleteOp", None, P)
new_capsule = function(python, "PyCapsule_New", ctypes.py_object, P, S, P)
capsule_pointer = function(python, "PyCapsule_GetPointer", P, ctypes.py_object, S)
capsule_name = function(python, "PyCapsule_SetName", I, ctypes.py_object, S)

status = new_status()
context = new_context(new_options(), status)

DESTRUCTOR = ctypes.CFUNCTYPE(None, P)
is_valid = function(ctypes.PyDLL(None), "PyCapsule_IsValid", I, P, S)
pointer_of = function(ctypes.PyDLL(None), "PyCapsule_GetPointer", P, P, S)
unused = []


@DESTRUCTOR
def free_unused(capsule):
    """Nobody took the tensor out of its capsule."""
    if is_valid(capsule, b"dltensor"):
        unused.append(capsule)
        call_deleter(pointer_of(capsule, b"dltensor"))


def check():
    assert get_code(status) == 0, message(status)


class Handle:
    """A handle of the library, as NumPy takes it."""

    def __init__(self, handle):
        check()
        self.handle = handle

    def __dlpack__(self, **_):
        pointer = to_dlpack(self.handle, status)
        check()
        return new_capsule(pointer, b"dltensor", free_unused)

    def __dlpack_device__(self):
        return (1, 0)

    def address(self):
        return device_pointer(self.handle, status)

    def __del__(self):
        delete_handle(self.handle)

    @classmethod
    def of(cls, array):
        """A handle over an array; None with `status` set where it cannot be."""
        capsule = array.__dlpack__()
        handle = from_dlpack(capsule_pointer(capsule, b"dltensor"), status, context)
        if handle is None:
            return None
        capsule_name(capsule, b"used_dltensor")
        return cls(handle)


def op(name, *inputs):
    call = new_op(context, name.encode(), status)
    for handle in inputs:
        add_input(call, handle.handle, status)
    result, count = P(), I(1)
    execute(call, ctypes.byref(result), ctypes.byref(count), status)
    delete_op(call)
    return Handle(result.value)


def address(array):
    return array.__array_interface__["data"][0]


def both_ways():
    for name, number in TYPES.items():
        for shape in SHAPES:
            array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(name)
            before = sys.getrefcount(array)
            handle = Handle.of(array)
            assert data_type(handle.handle) == number
            assert array.size == 0 or handle.address() == address(array), (name, shape)
            back = np.from_dlpack(handle)
            assert back.dtype == array.dtype and back.shape == shape
            assert np.array_equal(back, array)
            assert array.size == 0 or address(back) == address(array)
            # The last view keeps the memory, and lets go of it.
            del handle
            gc.collect()
            assert np.array_equal(back, array)
            assert sys.getrefcount(array) > before
            del back
            gc.collect()
            assert sys.getrefcount(array) == before, (name, shape)


def results_go_out():
    array = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
    handle = Handle.of(array)
    doubled = op("AddV2", handle, handle)
    view = np.from_dlpack(doubled)
    assert address(view) == doubled.address() and address(view) % 64 == 0
    del doubled, handle
    assert np.array_equal(view, array * 2)
    again = np.from_dlpack(op("Mul", Handle.of(view.copy()), Handle.of(array)))
    assert np.allclose(again, array * array * 2)


def layouts():
    array = np.arange(24, dtype="int32").reshape(4, 6)
    # Rows lie together; a column, a step, a mirror image do not.
    for part in (array[1:], array[2:3], array[1], array[3:3], array[2, 3:4], array[:, None]):
        handle = Handle.of(part)
        assert part.size == 0 or handle.address() == address(part)
        assert np.array_equal(np.from_dlpack(handle), part)
    for part in (array.T, array[:, 1:], array[::2], array[::-1], np.broadcast_to(array[0].copy(), (3, 6))):
        before = sys.getrefcount(part)
        if part.flags.writeable:
            assert Handle.of(part) is None
            assert get_code(status) == INVALID_ARGUMENT, message(status)
            assert b"strides" in message(status)
        # The capsule, still its own, lets go of the array.
        gc.collect()
        assert sys.getrefcount(part) == before
        handle = Handle.of(np.ascontiguousarray(part).copy())
        assert np.array_equal(np.from_dlpack(handle), part)


def unaligned():
    room = np.zeros(4 * 8 + 1, dtype="uint8")
    array = room[1:].view("float64")
    array[:] = [1, 2, 3, 4]
    try:
        handle = Handle.of(array)
    except BufferError:
        return  # this NumPy does not hand it out
    assert handle.address() != address(array)
    assert np.array_equal(np.from_dlpack(handle), array)


def unused_capsules():
    array = np.arange(3.0)
    before = sys.getrefcount(array)
    handle = Handle.of(array)
    capsule = handle.__dlpack__()
    del handle
    assert sys.getrefcount(array) > before
    del capsule
    gc.collect()
    assert len(unused) == 1 and sys.getrefcount(array) == before


for test in (both_ways, results_go_out, layouts, unaligned, unused_capsules):
    test()
print(f"dlpack_numpy: NumPy {np.__version__}: passed")
