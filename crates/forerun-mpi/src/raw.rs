//! MPI's non-blocking calls on buffers that are owned.
//!
//! The safe API of the crate `mpi` borrows a buffer for as long as a request is under way, which a queue of
//! requests that come and go cannot express. Here a request owns its buffer, and gives it up only when MPI is
//! done with it. This is the crate's only module with `unsafe` code.
//!
//! Everything here is used under one lock (see [`crate::post`]), so MPI needs `MPI_THREAD_SERIALIZED` at most.

#![allow(unsafe_code, reason = "MPI's C functions; every block says why it is sound")]

use std::ffi::{c_int, c_void};
use std::mem::{MaybeUninit, forget, take};

use bytemuck::Pod;
use forerun_skeleton::wire::Block;
use mpi::ffi;
use mpi::raw::{AsRaw, FromRaw as _};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

/// A communicator of our own.
pub(crate) struct Channel {
    communicator: SimpleCommunicator,
    /// Most elements of one call: `int` is what MPI counts in.
    most: usize,
}

// SAFETY: a communicator's handle may be used from any thread; who calls MPI when is settled by the lock.
unsafe impl Send for Channel {}

/// What a request is asked to do with the type of its elements.
type Call<'c> = &'c mut dyn FnMut(c_int, ffi::MPI_Datatype) -> c_int;

impl Channel {
    /// Duplicates `communicator`; all of its ranks must. Calls `pause` between looks whether the others have.
    pub(crate) fn new<C>(communicator: &C, mut pause: impl FnMut()) -> Self
    where
        C: Communicator + AsRaw<Raw = ffi::MPI_Comm>,
    {
        let (mut raw, mut request) = (Box::new(MaybeUninit::uninit()), MaybeUninit::uninit());
        // SAFETY: MPI writes the request now, and the communicator, which stays where it is, until it is done.
        check(unsafe { ffi::MPI_Comm_idup(communicator.as_raw(), raw.as_mut_ptr(), request.as_mut_ptr()) });
        // SAFETY: the call above succeeded, so it wrote the request.
        let mut request = Request(Some(unsafe { request.assume_init() }));
        while !request.is_done() {
            pause();
        }
        // SAFETY: it is done, so this is a live communicator of our own, like the one given no inter-communicator.
        let communicator = unsafe { SimpleCommunicator::from_raw(*raw.assume_init()) };
        Channel { communicator, most: c_int::MAX as usize }
    }

    /// The communicator, for the calls that the crate `mpi` has.
    pub(crate) fn communicator(&self) -> &SimpleCommunicator {
        &self.communicator
    }

    /// As if MPI could count to `most` only, at least 1.
    pub(crate) fn counting_to(self, most: usize) -> Self {
        Channel { most: most.clamp(1, c_int::MAX as usize), ..self }
    }

    /// Starts to send `block` from where it lies. A `matched` send is done when it is being received, another when MPI is done with
    /// the bytes.
    pub(crate) fn send(&self, to: usize, tag: c_int, block: Block, matched: bool) -> Sending {
        let send = if matched { ffi::MPI_Issend } else { ffi::MPI_Isend };
        let mut request = MaybeUninit::uninit();
        self.with_type(block.bytes().len(), &mut |count, datatype| {
            // SAFETY: the buffer holds `count` elements of `datatype`, is owned by the value that is returned and
            // neither moved (the heap stays where it is), changed nor freed before MPI says that it is done.
            unsafe {
                send(
                    block.bytes().as_ptr().cast::<c_void>(),
                    count,
                    datatype,
                    to as c_int,
                    tag,
                    self.communicator.as_raw(),
                    request.as_mut_ptr(),
                )
            }
        });
        // SAFETY: the call above succeeded, so it wrote the request.
        Sending { request: Request(Some(unsafe { request.assume_init() })), block }
    }

    /// Takes the next message that has arrived out of MPI's queue, if there is one; it is still to be received.
    pub(crate) fn arrived(&self) -> Option<Arrived> {
        let (mut flag, mut message, mut status) =
            (0, MaybeUninit::uninit(), MaybeUninit::<ffi::MPI_Status>::uninit());
        // SAFETY: the constants are MPI's own, and all pointers are to places that are ours to write.
        let code = unsafe {
            ffi::MPI_Improbe(
                ffi::RSMPI_ANY_SOURCE,
                tag_of_any(),
                self.communicator.as_raw(),
                &mut flag,
                message.as_mut_ptr(),
                status.as_mut_ptr(),
            )
        };
        check(code);
        if flag == 0 {
            return None;
        }
        // SAFETY: the flag says that both were written.
        let (message, status) = unsafe { (message.assume_init(), status.assume_init()) };
        let mut count: ffi::MPI_Count = 0;
        // SAFETY: the status is that of the call above; a message of any type is a number of bytes.
        check(unsafe { ffi::MPI_Get_elements_x(&status, ffi::RSMPI_UINT8_T, &mut count) });
        let (from, tag) = (status.MPI_SOURCE as usize, status.MPI_TAG);
        Some(Arrived { message, from, tag, length: usize::try_from(count).unwrap_or(0) })
    }

    /// Starts to receive a message into a block of values of `width` bytes, where it stays; into one of bytes if it is no whole number of such values.
    pub(crate) fn receive(&self, arrived: Arrived, width: usize) -> Receiving {
        let Arrived { mut message, length, .. } = arrived;
        let mut block = Block::zeroed(width, length).unwrap_or_else(|| vec![0u8; length].into());
        let mut request = MaybeUninit::uninit();
        self.with_type(length, &mut |count, datatype| {
            // SAFETY: as in `send`; the message came from MPI_Improbe and is received once, as `arrived` is
            // consumed.
            unsafe {
                ffi::MPI_Imrecv(
                    block.bytes_mut().as_mut_ptr().cast::<c_void>(),
                    count,
                    datatype,
                    &mut message,
                    request.as_mut_ptr(),
                )
            }
        });
        // SAFETY: the call above succeeded, so it wrote the request.
        Receiving { request: Request(Some(unsafe { request.assume_init() })), block }
    }

    /// Calls `call` with how many elements of which type `length` bytes are: bytes where MPI can count them, else
    /// one element that has them all.
    fn with_type(&self, length: usize, call: Call<'_>) {
        if length <= self.most {
            // SAFETY: a constant of the library.
            check(call(length as c_int, unsafe { ffi::RSMPI_UINT8_T }));
            return;
        }
        let (blocks, rest) = ((length / self.most) as c_int, (length % self.most) as c_int);
        let mut block = MaybeUninit::uninit();
        let mut all = MaybeUninit::uninit();
        let displacements = [0, (length - rest as usize) as ffi::MPI_Aint];
        // SAFETY: types are made of valid types and of arrays of the given length, used by one call and freed
        // after it, which MPI allows while the call is still under way.
        unsafe {
            check(ffi::MPI_Type_contiguous(self.most as c_int, ffi::RSMPI_UINT8_T, block.as_mut_ptr()));
            let mut block = block.assume_init();
            let (counts, types) = ([blocks, rest], [block, ffi::RSMPI_UINT8_T]);
            check(ffi::MPI_Type_create_struct(
                2,
                counts.as_ptr(),
                displacements.as_ptr(),
                types.as_ptr(),
                all.as_mut_ptr(),
            ));
            let mut all = all.assume_init();
            check(ffi::MPI_Type_commit(&mut all));
            check(call(1, all));
            check(ffi::MPI_Type_free(&mut all));
            check(ffi::MPI_Type_free(&mut block));
        }
    }
}

/// MPI's wildcard for tags.
fn tag_of_any() -> c_int {
    // SAFETY: a constant of the library.
    unsafe { ffi::RSMPI_ANY_TAG }
}

/// Errors end the job where they happen (MPI_ERRORS_ARE_FATAL, the default); where somebody has set another handler, they do so here.
fn check(code: c_int) {
    assert!(code == ffi::MPI_SUCCESS as c_int, "MPI gave the error {code}");
}

/// Something under way; nothing once it is done.
struct Request(Option<ffi::MPI_Request>);

// SAFETY: as for `Channel`.
unsafe impl Send for Request {}

impl Request {
    fn is_done(&mut self) -> bool {
        let Some(request) = &mut self.0 else { return true };
        let mut flag = 0;
        // SAFETY: the request is under way and ours; where a status is not wanted, MPI has a constant for it.
        check(unsafe { ffi::MPI_Test(request, &mut flag, ffi::RSMPI_STATUS_IGNORE) });
        if flag != 0 {
            self.0 = None;
        }
        flag != 0
    }
}

/// A message that is being sent.
pub(crate) struct Sending {
    request: Request,
    block: Block,
}

impl Sending {
    /// Whether it is done.
    pub(crate) fn is_done(&mut self) -> bool {
        self.request.is_done()
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if self.request.0.is_some() {
            // MPI may still read them.
            forget(take(&mut self.block));
        }
    }
}

/// A message that has arrived and is still to be received.
pub(crate) struct Arrived {
    message: ffi::MPI_Message,
    /// Its sender.
    pub(crate) from: usize,
    /// Its tag.
    pub(crate) tag: c_int,
    /// Its bytes.
    length: usize,
}

/// A message that is being received.
pub(crate) struct Receiving {
    request: Request,
    block: Block,
}

impl Receiving {
    /// What it is, once, when all of it is here.
    pub(crate) fn block(&mut self) -> Option<Block> {
        self.request.is_done().then(|| take(&mut self.block))
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        if self.request.0.is_some() {
            // MPI may still write them.
            forget(take(&mut self.block));
        }
    }
}

/// Values that are being received into.
pub(crate) struct Filling<T> {
    request: Request,
    values: Vec<T>,
}

/// Starts to receive as many values from rank `from` as there are (at most 2^31 − 1 bytes), in their place.
pub(crate) fn fill<T, C>(communicator: &C, from: usize, tag: c_int, mut values: Vec<T>) -> Filling<T>
where
    T: Pod,
    C: Communicator + AsRaw<Raw = ffi::MPI_Comm>,
{
    let mut request = MaybeUninit::uninit();
    // SAFETY: the buffer has so many bytes, which may be any as the values are `Pod`, is owned by the value that is returned
    // and neither moved (the heap stays where it is), looked at nor freed before MPI says that it is done.
    check(unsafe {
        ffi::MPI_Irecv(
            values.as_mut_ptr().cast::<c_void>(),
            size_of_val(&values[..]) as c_int,
            ffi::RSMPI_UINT8_T,
            from as c_int,
            tag,
            communicator.as_raw(),
            request.as_mut_ptr(),
        )
    });
    // SAFETY: the call above succeeded, so it wrote the request.
    Filling { request: Request(Some(unsafe { request.assume_init() })), values }
}

impl<T> Filling<T> {
    /// The values, if all are here.
    pub(crate) fn values(mut self) -> Result<Vec<T>, Self> {
        if self.request.is_done() { Ok(take(&mut self.values)) } else { Err(self) }
    }
}

impl<T> Drop for Filling<T> {
    fn drop(&mut self) {
        if self.request.0.is_some() {
            // MPI may still write them.
            forget(take(&mut self.values));
        }
    }
}
